import type { JWK } from 'jose'

import { SHOWN_NAME } from '#database/storable_text'
import type { ClientOpenId } from '#oauth2/openid/client_settings'

/** How a client came without an operator: by a document at its id, or by registration (RFC 7591). */
export type ClientSource = 'document' | 'registration'

export type ClientRow = Omit<
  Client,
  'hasKeys' | 'confidential' | 'host' | 'secretHashesAt' | 'allowsGrant'
>

/** What a client is made of; the rest of the members is null or false. */
export type ClientFields = Partial<ClientRow> &
  Pick<ClientRow, 'id' | 'name' | 'redirectUris' | 'grantTypes' | 'scopes' | 'createdAt'>

export type ClientChanges = Partial<
  Pick<
    Client,
    'redirectUris' | 'secretHash' | 'previousSecretHash' | 'previousSecretExpiresAt' | 'openid'
  >
>

/** A registered client (RFC 6749 §2). */
export class Client {
  readonly id!: string
  readonly name!: string
  /** SHA-256 of the secret; null for a public client. */
  readonly secretHash: string | null = null
  /** SHA-256 of the secret from before the last rotation; null without one. */
  readonly previousSecretHash: string | null = null
  /** Until when the previous secret is accepted, in epoch milliseconds. */
  readonly previousSecretExpiresAt: number | null = null
  /** Its public keys for `private_key_jwt`, when they are registered; null otherwise. */
  readonly jwks: JWK[] | null = null
  /** Where they are, when they are not registered themselves; null otherwise. */
  readonly jwksUri: string | null = null
  readonly redirectUris!: readonly string[]
  /** Grants it may use; empty allows every enabled grant. */
  readonly grantTypes!: readonly string[]
  /** Scopes it may request; empty allows the whole catalogue. */
  readonly scopes!: readonly string[]
  /** Name of the user provider whose users it acts for; null for any. */
  readonly provider: string | null = null
  readonly revoked: boolean = false
  /** Epoch milliseconds. */
  readonly createdAt!: number
  /** null for a client that was registered by the command or by code. */
  readonly source: ClientSource | null = null
  /** Until when the copy of its metadata document is fresh, in epoch milliseconds; null without a document. */
  readonly documentExpiresAt: number | null = null
  /** When it is deleted unless it is used before, in epoch milliseconds; null for never. */
  readonly purgeAt: number | null = null
  /** Whether it belongs to the operator of this server, so that no consent is asked for. */
  readonly firstParty: boolean = false
  /** Whether it has to push its authorization requests (RFC 9126 §6). */
  readonly requirePushed: boolean = false
  /** Its own `refreshTokenGracePeriod`, in seconds; null for that of the settings. */
  readonly refreshGracePeriod: number | null = null
  /** null for a client that has nothing of OpenID Connect but its ID tokens. */
  readonly openid: ClientOpenId | null = null

  constructor(fields: ClientFields) {
    const given: Record<string, unknown> = fields
    const own = this as Record<string, unknown>
    for (const member in own) {
      own[member] = given[member] ?? own[member]
    }
  }

  /** Whether it authenticates by a key of its own, and has no secret. */
  get hasKeys(): boolean {
    return this.jwks !== null || this.jwksUri !== null
  }

  /** Whether it has a secret or a key; a public client (RFC 6749 §2.1) proves itself with PKCE alone. */
  get confidential(): boolean {
    return this.secretHash !== null || this.hasKeys
  }

  /** The hashes of its secrets that are accepted: two while a rotation lasts, none for a public client. */
  secretHashesAt(now: number): string[] {
    const { secretHash, previousSecretHash, previousSecretExpiresAt } = this
    const isOverlap = previousSecretExpiresAt !== null && now < previousSecretExpiresAt
    return [secretHash, isOverlap ? previousSecretHash : null].filter((hash) => hash !== null)
  }

  /** Host and port of a client with a metadata document: more than a claim, unlike the name. */
  get host(): string | null {
    return this.source === 'document' ? new URL(this.id).host : null
  }

  allowsGrant(grantType: string): boolean {
    return this.grantTypes.length === 0 || this.grantTypes.includes(grantType)
  }
}

/** No character that is invisible, but in emoji: zero-width, fillers. */
const NAME = /^(?:\p{VS}|[^\p{Cf}\p{DI}\u2800]){1,255}$/u

/** Whether a text can be the name of a client: 1 to 255 characters that everybody can see. */
export const isClientName = (text: unknown) =>
  typeof text === 'string' && NAME.test(text) && SHOWN_NAME.test(text)
