import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'
import { ApiRequest } from '@japa/api-client'
import type { PluginFn } from '@japa/runner/types'

import { findSessionService } from '#session/session_service'
import type { UserId } from '#auth/user_providers/user_provider'

declare module '@japa/api-client' {
  interface ApiRequest {
    /**
     * Sends the session cookie of a signed-in user, and on an unsafe method the
     * CSRF token too, as a browser with the app's pages does.
     *
     * @param guard a session guard; by default the default guard or the first one
     */
    loginAs(userOrId: object | UserId, guard?: string): this

    /**
     * Sends an API token of a user.
     *
     * @param abilities what the token may do; everything when absent
     * @param guard a token guard; by default the default guard or the first one
     */
    withApiToken(userOrId: object | UserId, abilities?: string[], guard?: string): this
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Gives the API client of Japa the users of this app: `client.get('/x').loginAs(user)`. */
export function authApiClient(app: ApplicationService): PluginFn {
  return () => {
    ApiRequest.macro(
      'loginAs',
      function (this: ApiRequest, userOrId: object | UserId, guard?: string) {
        return this.setup(async () => {
          const manager = await app.container.make('auth_manager')
          const sessions = await findSessionService(app)
          if (!sessions) {
            throw new RuntimeException('loginAs needs AuthSessionProvider in adonisrc.ts')
          }
          const name = manager.guardWith('session', guard)
          const userId = isId(userOrId)
            ? String(userOrId)
            : manager.usersOf(name).identify(userOrId)
          const { id, record } = await sessions.start({}, { userId, guard: name })
          const { config } = sessions
          this.withCookie(config.cookie, id)
          this.cookiesJar[config.csrfCookie] = { name: config.csrfCookie, value: record.csrfToken }
          if (!SAFE_METHODS.includes(this.config.method.toUpperCase())) {
            this.header(config.csrfHeader, record.csrfToken)
          }
        })
      }
    )

    ApiRequest.macro(
      'withApiToken',
      function (this: ApiRequest, userOrId: object | UserId, abilities?: string[], guard?: string) {
        return this.setup(async () => {
          const manager = await app.container.make('auth_manager')
          const apiTokens = manager.feature('apiTokens')
          if (!apiTokens) {
            throw new RuntimeException('withApiToken needs AuthApiTokenProvider in adonisrc.ts')
          }
          const users = manager.usersOf(manager.guardWith('token', guard))
          const { plainText } = await apiTokens.create(users, userOrId, { abilities })
          this.header(apiTokens.config.header, `Bearer ${plainText}`)
        })
      }
    )
  }
}

function isId(userOrId: object | UserId): userOrId is UserId {
  return typeof userOrId !== 'object'
}
