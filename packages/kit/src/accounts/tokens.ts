import app from '@adonisjs/core/services/app'

import type { UserOf } from '#auth/guard_types'
import { ApiToken } from '#api_token/facade'
import { AuthorizationServer } from '#oauth2/authorization_server'

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
interface TokenKind {
  /** Those of a person that work. */
  list(user: UserOf): Promise<ListedToken[]>
  /** Revokes those of a person. */
  revokeAll(user: UserOf): Promise<void>
}

const apiTokens: TokenKind = {
  async list(user) {
    if (!(await isOn())) {
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
      revoke: async () => void (await ApiToken.revoke(id)),
    }))
  },

  async revokeAll(user) {
    if (await isOn()) {
      await ApiToken.revokeAll(user)
    }
  },
}

async function isOn(): Promise<boolean> {
  const manager = await app.container.make('auth_manager')
  return manager.feature('apiTokens') !== undefined
}

/** The tokens that clients were given, and personal access tokens. */
const oauthTokens: TokenKind = {
  async list(user) {
    const server = await serverFor(user)
    if (!server) {
      return []
    }
    const { userTokens, personalAccessTokens, owner } = server
    const granted = await userTokens.list(owner)
    const personal = await personalAccessTokens.list(owner)
    return [
      ...granted
        .filter(({ active }) => active)
        .map((token) => ({
          ...listed('OAuth token', token.client_name, token),
          revoke: async () => void (await userTokens.revoke(owner, token.jti)),
        })),
      ...personal.map((token) => ({
        ...listed('personal access token', token.name, token),
        revoke: async () => void (await personalAccessTokens.revoke(owner, token.jti)),
      })),
    ]
  },

  async revokeAll(user) {
    const server = await serverFor(user)
    await server?.userTokens.revokeAll(server.owner)
    await server?.personalAccessTokens.revokeAll(server.owner)
  },
}

/** The server, unless OAuth is taken out, and by what its tokens know a person. */
async function serverFor(user: UserOf) {
  if (!app.container.hasBinding(AuthorizationServer)) {
    return null
  }
  const manager = await app.container.make('auth_manager')
  const { userTokens, personalAccessTokens } = await app.container.make(AuthorizationServer)
  return { userTokens, personalAccessTokens, owner: manager.usersOf().ownerOf(user) }
}

function listed(
  kind: string,
  name: string | null,
  token: { jti: string; scopes: readonly string[]; created_at: number; expires_at: number }
): Omit<ListedToken, 'revoke'> {
  return {
    id: token.jti,
    kind,
    name,
    scopes: token.scopes,
    createdAt: token.created_at * 1000,
    expiresAt: token.expires_at * 1000,
  }
}

const KINDS = [apiTokens, oauthTokens]

/** Every token of a person that works. */
export async function listTokens(user: UserOf): Promise<ListedToken[]> {
  const lists = await Promise.all(KINDS.map((kind) => kind.list(user)))
  return lists.flat()
}

/** Revokes every token of a person. */
export async function revokeTokens(user: UserOf): Promise<void> {
  for (const kind of KINDS) {
    await kind.revokeAll(user)
  }
}
