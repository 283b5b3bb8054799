/** A registered client (RFC 6749 §2). */
export class Client {
  readonly id: string
  readonly name: string
  /** SHA-256 of the secret; null for a public client. */
  readonly secretHash: string | null
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

  constructor(fields: Omit<Client, 'confidential' | 'allowsGrant'>) {
    this.id = fields.id
    this.name = fields.name
    this.secretHash = fields.secretHash
    this.redirectUris = fields.redirectUris
    this.grantTypes = fields.grantTypes
    this.scopes = fields.scopes
    this.provider = fields.provider
    this.revoked = fields.revoked
    this.createdAt = fields.createdAt
  }

  /** Whether it has a secret; a public client (RFC 6749 §2.1) proves itself with PKCE alone. */
  get confidential(): boolean {
    return this.secretHash !== null
  }

  /** Whether its allow-list has the grant. */
  allowsGrant(grantType: string): boolean {
    return this.grantTypes.length === 0 || this.grantTypes.includes(grantType)
  }
}
