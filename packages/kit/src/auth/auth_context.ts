import type { CredentialContext } from '#auth/credential_contexts'
import { InvalidToken } from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'

/** What a user has allowed an OAuth client, as far as an application needs to know it. */
export interface AuthGrant {
  readonly id: string
  /** What the application passed at the approval, e.g. `{ workspace: 7 }`, or null. */
  readonly context: Readonly<Record<string, any>> | null
}

/**
 * Who makes a request and what it may do. A session carries every scope (`*`): its user is present
 * in person. A client-credentials token has no user.
 */
export class AuthContext<User = any> {
  declare readonly user: User | null
  declare readonly scopes: readonly string[]
  /** The OAuth client that acts; null for sessions, API tokens and personal access tokens. */
  readonly clientId: string | null = null
  /** The access token's identifier; null for sessions and API tokens. */
  readonly jti: string | null = null
  /** The grant of the token; null where no user approved a client. */
  readonly grant: AuthGrant | null = null
  /** What the token is bound to besides its scopes. Undefined for a session: its user chooses. */
  declare readonly boundTo: CredentialContext | null | undefined

  constructor(
    fields: Pick<AuthContext<User>, 'user' | 'scopes'> &
      Partial<Pick<AuthContext, 'clientId' | 'jti' | 'grant' | 'boundTo'>>
  ) {
    Object.assign(this, fields)
  }

  /** @throws {InvalidToken} for a token without a user */
  getUserOrFail(): User {
    if (this.user === null) {
      throw new InvalidToken('The token does not belong to a user.')
    }
    return this.user
  }

  /** Whether every one of the scopes is granted; `*` satisfies any scope. */
  can(...scopes: readonly GrantedScope[]): boolean {
    return this.canAll(...scopes)
  }

  canAll(...scopes: readonly GrantedScope[]): boolean {
    return scopes.every((scope) => this.#has(scope))
  }

  canAny(...scopes: readonly GrantedScope[]): boolean {
    return scopes.some((scope) => this.#has(scope))
  }

  #has(scope: string) {
    return this.scopes.includes('*') || this.scopes.includes(scope)
  }
}

export type UserContext<User = any> = AuthContext<User> & { readonly user: User }
