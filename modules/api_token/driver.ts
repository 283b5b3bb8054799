import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type { AuthManager } from '#auth/manager'
import type { GuardDriver } from '#auth/guards/driver'
import type { ApiTokenService } from '#api_token/api_token_service'
import type { ResolvedApiTokenConfig } from '#api_token/define_config'
import { ApiTokenGuard } from '#api_token/guard'
import { SpaTokenGuard } from '#api_token/spa_guard'

/** The `token` driver. */
export function tokenDriver(service: ApiTokenService): GuardDriver {
  const { header, statefulOrigins, sessionGuard } = service.config

  return {
    name: 'token',
    create({ name, users, manager }) {
      /* A session of another user provider is none of this guard's users. */
      const asksSession =
        statefulOrigins.length > 0 &&
        manager.guardDriver(sessionGuard) === 'session' &&
        manager.usersOf(sessionGuard) === users

      return asksSession
        ? (ctx) => {
            const session = ctx.auth.use(sessionGuard)
            return new SpaTokenGuard(name, users, service, ctx.request.header(header), session)
          }
        : (ctx) => new ApiTokenGuard(name, users, service, ctx.request.header(header))
    },
  }
}

/**
 * Checks that SPA mode has the session guard it asks (spec 1, Rules checked at startup).
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
