import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import type { GuardName } from '#auth/authenticators'
import type { AuthManager } from '#auth/manager'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { Guard } from '#auth/guards/guard'
import type { ApiTokenService } from '#api_token/api_token_service'
import type { ResolvedApiTokenConfig } from '#api_token/define_config'
import { ApiTokenGuard } from '#api_token/guard'
import { SpaTokenGuard } from '#api_token/spa_guard'

/**
 * The `token` driver.
 *
 * @param guards the guards of the application, of which SPA mode asks a session guard
 */
export function tokenDriver(
  service: ApiTokenService,
  guards?: Pick<AuthManager, 'guardDriver' | 'usersOf'>
) {
  const { header, statefulOrigins, sessionGuard } = service.config

  return {
    name: 'token',
    create<User>({ name, users }: GuardOptions<User>): (ctx: HttpContext) => ApiTokenGuard<User> {
      /* Ignores sessions of another user provider: equal ids may be different people. */
      const asksSession =
        statefulOrigins.length > 0 &&
        guards?.guardDriver(sessionGuard) === 'session' &&
        guards.usersOf(sessionGuard) === users

      return asksSession
        ? (ctx) => {
            const session: Guard = ctx.authenticator.use(sessionGuard as GuardName)
            return new SpaTokenGuard(name, users, service, ctx.request.header(header), session)
          }
        : (ctx) => new ApiTokenGuard(name, users, service, ctx.request.header(header))
    },
  } satisfies GuardDriver
}

/**
 * Checks that SPA mode has the session guard it asks.
 *
 * @throws {FeatureNotRegistered} when AuthSessionProvider is not registered
 * @throws {InvalidArgumentsException} when `sessionGuard` names no session guard
 */
export function checkSpaMode(config: ResolvedApiTokenConfig, manager: AuthManager): void {
  if (!config.statefulOrigins.length) {
    return
  }
  manager.driver('session', 'SPA mode ("statefulOrigins" in config/api_token.ts)')
  if (manager.guardDriver(config.sessionGuard) !== 'session') {
    throw new InvalidArgumentsException(
      `ApiTokenConfig: "sessionGuard" is "${config.sessionGuard}", which is no session guard in config/auth.ts`
    )
  }
}
