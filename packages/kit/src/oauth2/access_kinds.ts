import type { AccessKind } from '#auth/account_access'
import type { Users } from '#auth/users'
import type { AuthorizationServer } from '#oauth2/authorization_server'

/** What OAuth has that acts for an account: personal access tokens, and what clients were allowed. */
export function accessKinds({
  personalAccessTokens,
  connectedApps,
  userTokens,
}: AuthorizationServer): AccessKind[] {
  return [
    {
      name: 'access_tokens',
      path: '/account/access-tokens',
      countOf: async (user, users) => {
        const tokens = await personalAccessTokens.list(ownerOf(user, users))
        return tokens.length
      },
      endAllOf: async (user, users) =>
        void (await personalAccessTokens.revokeAll(ownerOf(user, users))),
    },
    {
      name: 'connected_apps',
      path: '/account/connected-apps',
      countOf: async (user, users) => {
        const apps = await connectedApps.list(ownerOf(user, users))
        return apps.length
      },
      /* Codes that were not redeemed yet end with their grants. */
      endAllOf: (user, users) => userTokens.revokeAll(ownerOf(user, users)),
    },
  ]
}

function ownerOf(user: unknown, users: Users) {
  return { userId: users.identify(user), provider: users.name }
}
