import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import type { UserOf } from '#auth/guard_types'
import { recordSecurityEvent } from '#auth/security_events'
import { ApiToken } from '#api_token/facade'
import { AuthorizationServer } from '#oauth2/authorization_server'

/** Ends every session of a person; returns how many there were. */
export async function endSessions(user: UserOf): Promise<number> {
  const manager = await app.container.make('auth_manager')
  return (await manager.feature('sessions')?.destroyAllOf(user, manager.usersOf())) ?? 0
}

/** Ends every session and every token of a person. Sessions go first: what they still make then is ended, too. */
export async function endEverything(user: UserOf): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const kinds = ['api_tokens', 'access_tokens', 'connected_apps']
  await endSessions(user)
  await manager.accountAccess.endKinds(kinds, user, manager.usersOf())
}

/** Deletes a person's account with everything they wrote. Sessions and tokens go first, and links that would open the next account of the address. */
export async function deleteAccount(ctx: HttpContext, user: UserOf & LucidRow): Promise<void> {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()

  const forget = async () => {
    await manager.accountAccess.endKinds(null, user, users)
    await endSessions(user)
    await manager.feature('passwordResets')?.endLinksOf(user, users)
    await manager.feature('workspaces')?.forget(user, users)
    await manager.feature('securityLog')?.forget(user, users)
  }

  await forget()
  await user.delete()
  /* Once more: a slow request of an old session may have been running. */
  await forget()
  await recordSecurityEvent(ctx, user, 'account_deleted', {}, users)
}

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

async function apiTokensOf(user: UserOf): Promise<ListedToken[]> {
  const manager = await app.container.make('auth_manager')
  const tokens = manager.feature('apiTokens') ? await ApiToken.tokens(user) : []
  return tokens.map(({ id, name, abilities, createdAt, expiresAt }) => ({
    id,
    kind: 'API token',
    name,
    scopes: abilities,
    createdAt: createdAt.getTime(),
    expiresAt: expiresAt?.getTime() ?? null,
    revoke: async () => void (await ApiToken.revoke(id)),
  }))
}

/** The tokens that clients were given, and personal access tokens. */
async function oauthTokensOf(user: UserOf): Promise<ListedToken[]> {
  if (!app.container.hasBinding(AuthorizationServer)) {
    return []
  }
  const manager = await app.container.make('auth_manager')
  const { userTokens, personalAccessTokens } = await app.container.make(AuthorizationServer)
  const owner = manager.usersOf().ownerOf(user)
  const granted = await userTokens.list(owner)
  const personal = await personalAccessTokens.list(owner)
  const live = granted
    .filter(({ active }) => active)
    .map((token) => ({ token, kind: 'OAuth token', name: token.client_name, of: userTokens }))
  const own = personal.map((token) => {
    return { token, kind: 'personal access token', name: token.name, of: personalAccessTokens }
  })
  return [...live, ...own].map(({ token, kind, name, of }) => ({
    id: token.jti,
    kind,
    name,
    scopes: token.scopes,
    createdAt: token.created_at * 1000,
    expiresAt: token.expires_at * 1000,
    revoke: async () => void (await of.revoke(owner, token.jti)),
  }))
}

export async function listTokens(user: UserOf): Promise<ListedToken[]> {
  return [...(await apiTokensOf(user)), ...(await oauthTokensOf(user))]
}
