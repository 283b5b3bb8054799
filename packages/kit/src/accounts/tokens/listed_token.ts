import app from '@adonisjs/core/services/app'

import type { UserOf } from '#auth/authenticators'

/** A token of a person, of any kind, without its secret. Instants are epoch milliseconds. */
export interface ListedToken {
  id: string
  kind: string
  /** Its own name, or the client's. */
  name: string | null
  scopes: readonly string[]
  createdAt: number
  expiresAt: number | null
  /** Ends it; an OAuth token with what can be refreshed from it. */
  revoke(): Promise<void>
}

/** Tokens of one feature. Without it there are none. */
export interface TokenKind {
  /** Those of a person that work. */
  list(user: UserOf): Promise<ListedToken[]>
  /** Revokes those of a person. */
  revokeAll(user: UserOf): Promise<void>
}

/** By which stores of tokens know a person. */
export async function ownerOf(user: UserOf) {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()
  return { userId: users.identify(user), provider: users.name }
}
