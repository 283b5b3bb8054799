import type { JWK } from 'jose'

import type { ClientOpenId } from '#oauth2/openid/client_settings'

/** How a client came without an operator: by a document at its id, or by registration (RFC 7591). */
export type ClientSource = 'document' | 'registration'

/** The members of a client that are stored, and as what. */
export const STORED = {
  id: 'text',
  name: 'text',
  secretHash: 'text',
  previousSecretHash: 'text',
  previousSecretExpiresAt: 'number',
  jwks: 'json',
  jwksUri: 'text',
  redirectUris: 'json',
  grantTypes: 'json',
  scopes: 'json',
  provider: 'text',
  revoked: 'boolean',
  createdAt: 'number',
  source: 'text',
  documentExpiresAt: 'number',
  purgeAt: 'number',
  firstParty: 'boolean',
  requirePushed: 'boolean',
  refreshGracePeriod: 'number',
  openid: 'json',
} as const

const BLANK: Record<string, unknown> = Object.fromEntries(
  Object.entries(STORED).map(([member, kind]) => [member, kind === 'boolean' ? false : null])
)

export type ClientRow = Pick<Client, keyof typeof STORED>

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
  declare readonly id: string
  declare readonly name: string
  /** SHA-256 of the secret; null for a public client. */
  declare readonly secretHash: string | null
  /** SHA-256 of the secret from before the last rotation; null without one. */
  declare readonly previousSecretHash: string | null
  /** Until when the previous secret is accepted, in epoch milliseconds. */
  declare readonly previousSecretExpiresAt: number | null
  /** Its public keys for `private_key_jwt`, when they are registered; null otherwise. */
  declare readonly jwks: JWK[] | null
  /** Where they are, when they are not registered themselves; null otherwise. */
  declare readonly jwksUri: string | null
  declare readonly redirectUris: readonly string[]
  /** Grants it may use; empty allows every enabled grant. */
  declare readonly grantTypes: readonly string[]
  /** Scopes it may request; empty allows the whole catalogue. */
  declare readonly scopes: readonly string[]
  /** Name of the user provider whose users it acts for; null for any. */
  declare readonly provider: string | null
  declare readonly revoked: boolean
  /** Epoch milliseconds. */
  declare readonly createdAt: number
  /** null for a client that was registered by the command or by code. */
  declare readonly source: ClientSource | null
  /** Until when the copy of its metadata document is fresh, in epoch milliseconds; null without a document. */
  declare readonly documentExpiresAt: number | null
  /** When it is deleted unless it is used before, in epoch milliseconds; null for never. */
  declare readonly purgeAt: number | null
  /** Whether it belongs to the operator of this server, so that no consent is asked for. */
  declare readonly firstParty: boolean
  /** Whether it has to push its authorization requests (RFC 9126 §6). */
  declare readonly requirePushed: boolean
  /** Its own `refreshTokenGracePeriod`, in seconds; null for that of the settings. */
  declare readonly refreshGracePeriod: number | null
  /** null for a client that has nothing of OpenID Connect but its ID tokens. */
  declare readonly openid: ClientOpenId | null

  constructor(fields: ClientFields) {
    const given: Record<string, unknown> = fields
    for (const member in BLANK) {
      ;(this as Record<string, unknown>)[member] = given[member] ?? BLANK[member]
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

  /** Whether its allow-list has the grant. */
  allowsGrant(grantType: string): boolean {
    return this.grantTypes.length === 0 || this.grantTypes.includes(grantType)
  }
}
