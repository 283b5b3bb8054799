import type { AuthClientResponse } from '@adonisjs/auth/types'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { ApplicationService } from '@adonisjs/core/types'
import { ApiRequest } from '@japa/api-client'
import type { PluginFn } from '@japa/runner/types'
import { RuntimeException } from '@adonisjs/core/exceptions'
import currentApp from '@adonisjs/core/services/app'

import type {
  GuardName,
  GuardNamed,
  GuardNameWith,
  LoginGuardName,
  UserOf,
} from '#auth/guard_types'
import type { Guard } from '#auth/guards/guard'
import type { AuthManager } from '#auth/manager'
import type { GrantedScope } from '#auth/scopes'
import type { UserId } from '#auth/users'
import { assertRuntime } from '#config/checks'
import { Server } from '#mcp/server'
import type { ClientTokenOptions } from '#oauth2/guard'

type ClientArguments<Name> =
  GuardNamed<Name> extends { authenticateAsClient(...args: infer Args): unknown } ? Args : never

declare module '@japa/api-client' {
  interface ApiRequest {
    /** By whatever guard there is, for tests that are about something else. @param scopes of a token; everything when absent */
    as(user: UserOf<GuardName>, scopes?: readonly string[]): this

    /**
     * Sends the session cookie of a signed-in user, and the CSRF token as a browser with the app's pages does.
     * @param guard by default the default guard or the first session guard
     */
    loginAs<Name extends LoginGuardName = LoginGuardName>(
      userOrId: UserOf<Name> | UserId,
      guard?: Name
    ): this

    /** What `authenticateAsClient` of the guard takes: `withGuard('oauth').loginAs(user, { scopes: ['posts:read'] })`. */
    withGuard<Name extends GuardName, Self extends ApiRequest>(
      this: Self,
      guard: Name
    ): { loginAs(...args: ClientArguments<Name>): Self }

    /**
     * Sends an API token of a user.
     * @param abilities what the token may do; everything when absent
     * @param guard by default the default guard or the first token guard
     */
    withApiToken<Name extends GuardNameWith<'token'> = GuardNameWith<'token'>>(
      userOrId: UserOf<Name> | UserId,
      abilities?: string[],
      guard?: Name
    ): this

    /** Sends an OAuth access token. @param guard by default the default guard or the first OAuth guard */
    withOAuthToken<Name extends GuardNameWith<'oauth2'> = GuardNameWith<'oauth2'>>(
      userOrId: UserOf<Name> | UserId,
      options?: ClientTokenOptions,
      guard?: Name
    ): this

    /** Sends an OAuth access token for the protected MCP mount at the path. @param scopes default: those of the mount */
    withMcpToken(user: UserOf<'oauth'> | UserId, scopes?: readonly GrantedScope[]): this
  }
}

/** Gives the API client of Japa the users of this app: `client.get('/x').loginAs(user)`. */
export function authApiClient(app: ApplicationService): PluginFn {
  const signIn = (request: ApiRequest, find: (manager: AuthManager) => string, args: unknown[]) =>
    send(request, async () => {
      const manager = await app.container.make('auth_manager')
      const guard: Guard = manager.guard(find(manager), new HttpContextFactory().create())
      return guard.authenticateAsClient(...(args as Parameters<Guard['authenticateAsClient']>))
    })

  return () => {
    ApiRequest.macro('as', function (this: ApiRequest, user, scopes) {
      return send(this, () => credentialsOf(user, scopes))
    })
    ApiRequest.macro('loginAs', function (this: ApiRequest, user, guard) {
      return signIn(this, (manager) => manager.guardWith('session', guard), [user])
    })
    ApiRequest.macro('withGuard', function (this: ApiRequest, guard) {
      return { loginAs: (...args: unknown[]): any => signIn(this, () => guard, args) }
    })
    ApiRequest.macro('withApiToken', function (this: ApiRequest, user, abilities, guard) {
      return signIn(this, (manager) => manager.guardWith('token', guard), [user, abilities])
    })
    ApiRequest.macro('withOAuthToken', function (this: ApiRequest, user, options, guard) {
      return signIn(this, (manager) => manager.guardWith('oauth2', guard), [user, options])
    })
  }
}

/** `client.post('/mcp').withMcpToken(user, scopes)` */
export const mcpApiClient: PluginFn = () => {
  ApiRequest.macro('withMcpToken', function (this: ApiRequest, user, scopes) {
    const { endpoint } = this.config
    const mount = Server.manager?.mounts.find(({ pattern }) => pattern === endpoint)
    assertRuntime(mount?.protection, `There is no protected MCP mount at "${endpoint}"`)
    const { url, scopes: own } = mount.protection
    return this.withOAuthToken(user, { scopes: scopes ?? [...own], resource: url })
  })
}

function send(request: ApiRequest, credentials: () => Promise<AuthClientResponse>) {
  return request.setup(async () => {
    const { cookies, headers } = await credentials()
    request.cookies(cookies ?? {}).headers(headers ?? {})
  })
}

/** What each driver's `authenticateAsClient` takes, so that the caller has no other scopes. A session has all. */
const OPTIONS: [driver: string, options: (scopes: string[]) => unknown[]][] = [
  ['token', (scopes) => [scopes]],
  ['oauth2', (scopes) => [{ scopes }]],
  ['session', () => []],
]

/** What a user sends to be recognised, for tests that are not about the way: a token if the application has them. */
export async function credentialsOf(
  user: Parameters<Guard['authenticateAsClient']>[0],
  scopes: readonly string[] = ['*']
): Promise<AuthClientResponse> {
  const manager = await currentApp.container.make('auth_manager')
  for (const [driver, options] of OPTIONS) {
    const name = manager.guardNames.find((guard) => manager.guardDriver(guard) === driver)
    if (name) {
      const guard = manager.guard(name, new HttpContextFactory().create())
      return guard.authenticateAsClient(user, ...options([...scopes]))
    }
  }
  throw new RuntimeException('No guard of config/auth.ts has a driver of the kit')
}
