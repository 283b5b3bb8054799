import { inspect } from 'node:util'

import { DateTime } from 'luxon'
import type { ModelAttributes } from '@adonisjs/lucid/types/model'

import type { MaybePromise } from '#process/maybe_promise'
import type PersonalApiToken from '#api_token/models/personal_api_token'
import type { CredentialContext, CredentialHolder } from '#auth/credential_contexts'
import type { Users } from '#auth/users'
import { assertArgument, withDefaults } from '#config/checks'
import { isStorable } from '#database/storable_text'
import { isObject } from '#process/objects'

/**
 * One API token, as it is stored: `hash` is the SHA-256 of its secret, `context` what it is bound to beside its abilities.
 * Instants are epoch milliseconds; `expiresAt` is null for a token that never expires.
 */
export interface StoredToken extends Omit<ModelAttributes<PersonalApiToken>, 'id' | 'token'> {
  id: string
  hash: string
}

/** A token, and its owner where the repository can read both in one statement. */
export interface FoundToken {
  token: StoredToken
  /** null when the owner does not exist, undefined when the repository did not read it. */
  user?: unknown
}

/** Stores hashes of secrets, and never sees a secret. Methods may be sync or async. */
export interface ApiTokenRepository {
  /** Stores a new token and returns its id: up to 64 characters of `[A-Za-z0-9_-]`. */
  create(token: Omit<StoredToken, 'id'>): MaybePromise<string>
  /**
   * The token with this id, expired or not; null for any other text.
   * @param users those that most likely have the owner, for a repository that can read both at once
   */
  find(id: string, users: Users): MaybePromise<FoundToken | null>
  /** A user's tokens that have not expired at `now`, the oldest first. */
  listFor(userId: string, provider: string, now: number): MaybePromise<StoredToken[]>
  /** Deletes a token and returns it; null when it does not exist. */
  delete(id: string): MaybePromise<StoredToken | null>
  /** Deletes all tokens of a user, expired ones too, and returns them. */
  deleteFor(userId: string, provider: string): MaybePromise<StoredToken[]>
  /** Deletes the tokens of an owner whose context matches. Without it, contexts end with the next use of a token. */
  endWhere?: CredentialHolder['endWhere']
  /** Sets `lastUsedAt` to `now`, unless it is later than `before`. */
  recordUse(id: string, now: number, before: number): MaybePromise<void>
  /** Deletes tokens that expire at or before `now`, and returns how many. It may stop early. */
  purge(now: number): MaybePromise<number>
}

/** `expiresAt` is null for a token that never expires. */
export type ApiTokenDetails = ReturnType<typeof describeToken>

const NAME_MAX_LENGTH = 255
const PLAIN_TEXT = /^([A-Za-z0-9_-]{1,64})\|([A-Za-z0-9]{1,255})$/

/** Splits `{id}|{secret}`; null for any other text. */
export function parsePlainText(plainText: string): { id: string; secret: string } | null {
  const [, id, secret] = PLAIN_TEXT.exec(plainText) ?? []
  return id && secret ? { id, secret } : null
}

export function describeToken({ hash: _hash, ...token }: StoredToken) {
  const date = (instant: number | null) => (instant === null ? null : new Date(instant))
  return {
    ...token,
    lastUsedAt: date(token.lastUsedAt),
    expiresAt: date(token.expiresAt),
    createdAt: new Date(token.createdAt),
  }
}

/** A token that was just created. Its plain text is known only now. */
export class NewApiToken {
  readonly #plainText: string

  constructor(
    readonly details: ApiTokenDetails,
    plainText: string
  ) {
    this.#plainText = plainText
  }

  /** `{id}|{secret}`, to hand to the owner. No log and no JSON of this object shows it. */
  get plainText(): string {
    return this.#plainText
  }

  /** Keeps the plain text out of `console.log`. */
  [inspect.custom](): object {
    return { details: this.details }
  }
}

export interface NewApiTokenOptions {
  /** The owner's name for the token; up to 255 characters. */
  name?: string | null
  /** What the token may do. Null or an empty list means everything (`*`). */
  abilities?: string[] | null
  /** Expiry. Default: `ttl` seconds from now, or never when `ttl` is not set. */
  expiresAt?: Date | DateTime | null
  /** What the token is bound to, for good. Default: nothing. */
  context?: CredentialContext | null
}

export const OPTIONS = { name: null, abilities: null, expiresAt: null, context: null }

const isText = (value: unknown) => typeof value === 'string' && isStorable(value)

/**
 * @returns `expiresAt` in epoch milliseconds
 * @throws {InvalidArgumentsException} for an option that is unknown or not usable
 */
export function readOptions(options: NewApiTokenOptions) {
  const { name, abilities, expiresAt, context } = withDefaults('An API token', options, OPTIONS)
  const tooLong = `"name" of an API token must be a text of up to ${NAME_MAX_LENGTH} characters`
  assertArgument(name === null || (isText(name) && name.length <= NAME_MAX_LENGTH), tooLong)
  const isList = abilities === null || Array.isArray(abilities)
  const areNames = isList && (abilities ?? []).every((one) => isText(one) && one)
  assertArgument(areNames, '"abilities" of an API token must be a list of names')
  const isDate = expiresAt instanceof Date || DateTime.isDateTime(expiresAt)
  const isValid = expiresAt === null || (isDate && !Number.isNaN(expiresAt.valueOf()))
  assertArgument(isValid, '"expiresAt" of an API token must be a valid date')
  assertArgument(isObject(context ?? {}), '"context" of an API token must be an object')
  return {
    name,
    abilities: abilities?.length ? [...new Set(abilities)] : ['*'],
    expiresAt: expiresAt && expiresAt.valueOf(),
    context,
  }
}
