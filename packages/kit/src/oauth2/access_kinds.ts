import type { AccessKind } from '#auth/account_access'
import type { AuthorizationServer } from '#oauth2/authorization_server'

/** Access to an account by OAuth: personal access tokens and grants of clients. */
export function accessKinds(server: AuthorizationServer): AccessKind[] {
  const { personalAccessTokens, connectedApps, userTokens } = server
  return [
    {
      name: 'access_tokens',
      route: 'account.access_tokens.access_tokens.index',
      countOf: (user, users) => lengthOf(personalAccessTokens.list(users.ownerOf(user))),
      endAllOf: async (user, users) => {
        await personalAccessTokens.revokeAll(users.ownerOf(user))
      },
    },
    {
      name: 'connected_apps',
      route: 'account.connected_apps',
      countOf: (user, users) => lengthOf(connectedApps.list(users.ownerOf(user))),
      /* Codes that were not redeemed yet end with their grants. */
      endAllOf: (user, users) => userTokens.revokeAll(users.ownerOf(user)),
    },
  ]
}

async function lengthOf(list: Promise<unknown[]>): Promise<number> {
  const { length } = await list
  return length
}
