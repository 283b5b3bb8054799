import app from '@adonisjs/core/services/app'

import { ApiToken } from '#api_token/facade'
import type User from '#models/user'
import { AuthorizationServer } from '#oauth2/authorization_server'

const SECOND = 1000

/** A token of a person, of any kind, without its secret. Instants are epoch milliseconds. */
export interface ListedToken {
  id: string
  kind: 'API token' | 'personal access token' | 'OAuth token'
  /** Its own name, or the client's. */
  name: string | null
  scopes: readonly string[]
  createdAt: number
  expiresAt: number | null
}

/** Every token of a person that works. */
export async function listTokens(user: User): Promise<ListedToken[]> {
  return [...(await listApiTokens(user)), ...(await listOAuthTokens(user))]
}

/** Revokes a token; an OAuth token with what can be refreshed from it. */
export async function revokeToken(user: User, { id, kind }: ListedToken): Promise<void> {
  if (kind === 'API token') {
    return void (await ApiToken.revoke(id))
  }
  const server = await app.container.make(AuthorizationServer)
  const tokens = kind === 'OAuth token' ? server.userTokens : server.personalAccessTokens
  await tokens.revoke(await keyOf(user), id)
}

async function listApiTokens(user: User): Promise<ListedToken[]> {
  const manager = await app.container.make('auth_manager')
  if (!manager.feature('apiTokens')) {
    return []
  }
  const tokens = await ApiToken.tokens(user)
  return tokens.map(({ id, name, abilities, createdAt, expiresAt }) => ({
    id,
    kind: 'API token',
    name,
    scopes: abilities,
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt?.getTime() ?? null,
  }))
}

async function listOAuthTokens(user: User): Promise<ListedToken[]> {
  if (!app.container.hasBinding(AuthorizationServer)) {
    return []
  }
  const server = await app.container.make(AuthorizationServer)
  const key = await keyOf(user)
  const granted = await server.userTokens.list(key)
  const personal = await server.personalAccessTokens.list(key)
  return [
    ...granted
      .filter(({ active }) => active)
      .map((token) => listed('OAuth token', token.client_name, token)),
    ...personal.map((token) => listed('personal access token', token.name, token)),
  ]
}

function listed(
  kind: ListedToken['kind'],
  name: string | null,
  token: { jti: string; scopes: readonly string[]; created_at: number; expires_at: number }
): ListedToken {
  return {
    id: token.jti,
    kind,
    name,
    scopes: token.scopes,
    createdAt: token.created_at * SECOND,
    expiresAt: token.expires_at * SECOND,
  }
}

async function keyOf(user: User) {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()
  return { userId: users.identify(user), provider: users.name }
}
