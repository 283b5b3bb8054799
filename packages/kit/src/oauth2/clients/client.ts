import type { JWK } from 'jose'

import type { ClientOpenId } from '#oauth2/openid/client_openid'

/**
 * How a client came that nobody here registered: by a metadata document at the
 * URL that is its id, or by dynamic registration (RFC 7591).
 */
export type ClientSource = 'document' | 'registration'

/** What is stored of a client. */
export type ClientRow = Omit<
  Client,
  'confidential' | 'hasKeys' | 'allowsGrant' | 'host' | 'secretHashesAt'
>

/** What a client is made of: beside what every client has, whatever it has of the rest. */
type ClientFields = Partial<ClientRow> &
  Pick<
    ClientRow,
    | 'id'
    | 'name'
    | 'secretHash'
    | 'redirectUris'
    | 'grantTypes'
    | 'scopes'
    | 'provider'
    | 'revoked'
    | 'createdAt'
  >

/** What can be changed of a client that is registered. */
export type ClientChanges = Partial<
  Pick<
    Client,
    'redirectUris' | 'secretHash' | 'previousSecretHash' | 'previousSecretExpiresAt' | 'openid'
  >
>

/** A registered client (RFC 6749 §2). */
export class Client {
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret; null for a public client. */
  readonly secretHash: string | null
  /** SHA-256 of the secret from before the last rotation; null without one. */
  readonly previousSecretHash: string | null
  /** Until when the previous secret is accepted, in epoch milliseconds. */
  readonly previousSecretExpiresAt: number | null
  /** Its public keys, when it authenticates by `private_key_jwt` and they are registered; null otherwise. */
  readonly jwks: JWK[] | null
  /** Where its public keys are, when they are not registered themselves; null otherwise. */
  readonly jwksUri: string | null
  readonly redirectUris: readonly string[]
  /** Grants it may use; empty allows every enabled grant. */
  readonly grantTypes: readonly string[]
  /** Scopes it may request; empty allows the whole catalogue. */
  readonly scopes: readonly string[]
  /** Name of the user provider whose users it acts for; null for any. */
  readonly provider: string | null
  readonly revoked: boolean
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** null for a client that was registered by the command or by code. */
  readonly source: ClientSource | null
  /** Until when the copy of its metadata document is fresh, in epoch milliseconds; null without a document. */
  readonly documentExpiresAt: number | null
  /** When it is deleted unless it is used before, in epoch milliseconds; null for never. */
  readonly purgeAt: number | null
  /** Whether it belongs to whoever runs this server, so that nobody is asked to allow it. */
  readonly firstParty: boolean
  /** Whether it has to push its authorization requests (RFC 9126 §6). */
  readonly requirePushed: boolean
  /** Its own `refreshTokenGracePeriod`, in seconds; null for that of the settings. */
  readonly refreshGracePeriod: number | null
  /** null for a client that has nothing of OpenID Connect but its ID tokens. */
  readonly openid: ClientOpenId | null

  constructor(fields: ClientFields) {
    this.id = fields.id
    this.name = fields.name
    this.secretHash = fields.secretHash
    this.previousSecretHash = fields.previousSecretHash ?? null
    this.previousSecretExpiresAt = fields.previousSecretExpiresAt ?? null
    this.jwks = fields.jwks ?? null
    this.jwksUri = fields.jwksUri ?? null
    this.redirectUris = fields.redirectUris
    this.grantTypes = fields.grantTypes
    this.scopes = fields.scopes
    this.provider = fields.provider
    this.revoked = fields.revoked
    this.createdAt = fields.createdAt
    this.source = fields.source ?? null
    this.documentExpiresAt = fields.documentExpiresAt ?? null
    this.purgeAt = fields.purgeAt ?? null
    this.firstParty = fields.firstParty ?? false
    this.requirePushed = fields.requirePushed ?? false
    this.refreshGracePeriod = fields.refreshGracePeriod ?? null
    this.openid = fields.openid ?? null
  }

  /** Whether it authenticates by a key of its own (`private_key_jwt`), and has no secret. */
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

  /**
   * The host that answers for a client with a metadata document, with its port;
   * null for other clients. Unlike the name, it is more than a claim.
   */
  get host(): string | null {
    return this.source === 'document' ? new URL(this.id).host : null
  }

  /** Whether its allow-list has the grant. */
  allowsGrant(grantType: string): boolean {
    return this.grantTypes.length === 0 || this.grantTypes.includes(grantType)
  }
}
