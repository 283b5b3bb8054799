/**
 * Who makes a request and what it may do (spec 1, Other objects).
 *
 * A session carries every scope (`*`): it is the user in person. A token
 * carries what it was granted. A client-credentials token has no user.
 */
export class AuthContext<User = any> {
  readonly user: User | null
  readonly scopes: readonly string[]
  /** The OAuth client that acts; null for sessions, API tokens and personal access tokens. */
  readonly clientId: string | null
  /** The access token's identifier; null where there is none. */
  readonly jti: string | null

  constructor(fields: {
    user: User | null
    scopes: readonly string[]
    clientId?: string | null
    jti?: string | null
  }) {
    this.user = fields.user
    this.scopes = fields.scopes
    this.clientId = fields.clientId ?? null
    this.jti = fields.jti ?? null
  }

  /** Whether every one of the scopes is granted; `*` satisfies any scope. */
  can(...scopes: string[]): boolean {
    return this.canAll(...scopes)
  }

  /** Whether every one of the scopes is granted. */
  canAll(...scopes: string[]): boolean {
    return scopes.every((scope) => this.#has(scope))
  }

  /** Whether at least one of the scopes is granted. */
  canAny(...scopes: string[]): boolean {
    return scopes.some((scope) => this.#has(scope))
  }

  #has(scope: string) {
    return this.scopes.includes('*') || this.scopes.includes(scope)
  }
}
