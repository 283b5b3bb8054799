import { inspect } from 'node:util'

import type { StoredToken } from '#api_token/types'

/** What may be said about a token: everything but its hash. */
export interface ApiTokenDetails {
  id: string
  /** The owner's id, as text. */
  userId: string
  /** Name of the user provider that the owner belongs to. */
  provider: string
  name: string | null
  abilities: string[]
  lastUsedAt: Date | null
  /** null for a token that never expires. */
  expiresAt: Date | null
  createdAt: Date
}

const PLAIN_TEXT = /^([A-Za-z0-9_-]{1,64})\|([A-Za-z0-9]{1,255})$/

/** Takes `{id}|{secret}` apart; null when it is anything else. */
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
    lastUsedAt: date(token.lastUsedAt),
    expiresAt: date(token.expiresAt),
    createdAt: new Date(token.createdAt),
  }
}

/** A token that was just created: the only moment at which its plain text is known. */
export class NewApiToken {
  readonly #plainText: string

  constructor(
    readonly details: ApiTokenDetails,
    plainText: string
  ) {
    this.#plainText = plainText
  }

  /** `{id}|{secret}`, to be handed to the owner. Nothing else shows it: no log, no JSON. */
  get plainText(): string {
    return this.#plainText
  }

  /** What console.log shows, with whatever options. */
  [inspect.custom](): object {
    return { details: this.details }
  }
}
