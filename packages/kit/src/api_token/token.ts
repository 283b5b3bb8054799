import { inspect } from 'node:util'

import type { CredentialContext } from '#auth/credential_contexts'
import type { StoredToken } from '#api_token/types'

/** The public details of a token: everything but its hash. */
export interface ApiTokenDetails {
  id: string
  /** The owner's id, as text. */
  userId: string
  /** Name of the user provider that the owner belongs to. */
  provider: string
  name: string | null
  abilities: string[]
  /** What the token is bound to beside its abilities; null for nothing. */
  context: CredentialContext | null
  lastUsedAt: Date | null
  /** null for a token that never expires. */
  expiresAt: Date | null
  createdAt: Date
}

/** A token in the list of its owner. */
export interface ListedApiToken extends ApiTokenDetails {
  /** What its context is called; null where there is nothing to choose. */
  contextName: string | null
}

const PLAIN_TEXT = /^([A-Za-z0-9_-]{1,64})\|([A-Za-z0-9]{1,255})$/

/** Splits `{id}|{secret}`; null for any other text. */
export function parsePlainText(plainText: string): { id: string; secret: string } | null {
  const [, id, secret] = PLAIN_TEXT.exec(plainText) ?? []
  return id && secret ? { id, secret } : null
}

export function describeToken(token: StoredToken): ApiTokenDetails {
  const date = (instant: number | null) => (instant === null ? null : new Date(instant))
  return {
    id: token.id,
    userId: token.userId,
    provider: token.provider,
    name: token.name,
    abilities: token.abilities,
    context: token.context,
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
