import app from '@adonisjs/core/services/app'

import { AuthorizationServer } from '#oauth2/authorization_server'
import { type ListedToken, type TokenKind, ownerOf } from '#accounts/tokens/listed_token'

const SECOND = 1000

/** The tokens that clients were given, and personal access tokens. */
export const oauthTokens: TokenKind = {
  async list(user) {
    const server = await findServer()
    if (!server) {
      return []
    }
    const { userTokens, personalAccessTokens } = server
    const owner = await ownerOf(user)
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
    const server = await findServer()
    const owner = await ownerOf(user)
    await server?.userTokens.revokeAll(owner)
    await server?.personalAccessTokens.revokeAll(owner)
  },
}

async function findServer(): Promise<AuthorizationServer | null> {
  const isOn = app.container.hasBinding(AuthorizationServer)
  return isOn ? app.container.make(AuthorizationServer) : null
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
    createdAt: token.created_at * SECOND,
    expiresAt: token.expires_at * SECOND,
  }
}
