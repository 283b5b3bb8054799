import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type { AuthManager } from '#auth/manager'
import { PasswordBroker } from '#password_reset/broker'
import type { PasswordResetStore } from '#password_reset/types'
import type { ErrorLog } from '#support/background'
import { resolveStoreName } from '#support/store_config'
import type { PasswordBrokerSpec } from '#auth/define_config'

const MINUTE = 60_000
const SECOND = 1000

/**
 * Builds a password broker from its spec (spec 1, Password broker spec).
 *
 * @throws {InvalidArgumentsException} for an unknown user provider, an unknown store, or a time that makes no sense
 */
export async function createPasswordBroker(
  name: string,
  spec: PasswordBrokerSpec,
  manager: AuthManager,
  logger: ErrorLog
): Promise<PasswordBroker> {
  const { expire = 60, throttle = 60 } = spec
  if (!Number.isFinite(expire) || expire <= 0) {
    throw new InvalidArgumentsException(
      `The password broker "${name}": "expire" must be a number of minutes above 0`
    )
  }
  if (!Number.isFinite(throttle) || throttle < 0) {
    throw new InvalidArgumentsException(
      `The password broker "${name}": "throttle" must be a number of seconds, or 0 to turn it off`
    )
  }
  return new PasswordBroker({
    users: manager.users(spec.provider),
    store: await createStore(name, spec),
    lifetime: expire * MINUTE,
    throttle: throttle * SECOND,
    notify: async (email, token) => manager.config.passwordResetNotifier?.(email, token),
    endSessions: async (user, users) => {
      await manager.feature('sessions')?.destroyAllOf(user, users)
    },
    logger,
  })
}

/** Lucid and the memory store are loaded when they are used. */
async function createStore(name: string, spec: PasswordBrokerSpec): Promise<PasswordResetStore> {
  switch (resolveStoreName(`The password broker "${name}"`, spec, 'database')) {
    case 'instance':
      return spec.instance!
    case 'memory': {
      const { MemoryPasswordResetStore } = await import('#password_reset/stores/memory')
      return new MemoryPasswordResetStore()
    }
    case 'database': {
      const { DatabasePasswordResetStore } = await import('#password_reset/stores/database')
      return new DatabasePasswordResetStore(name, spec.connection)
    }
  }
}
