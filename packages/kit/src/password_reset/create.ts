import type { AuthManager } from '#auth/manager'
import { PasswordBroker } from '#password_reset/broker'
import type { PasswordResetStore } from '#password_reset/types'
import type { ErrorLog } from '#process/background'
import { positiveNumber } from '#config/checks'
import { importModel } from '#database/models'
import { createStore, resolveStoreName } from '#config/store_config'
import type { PasswordBrokerSpec } from '#auth/define_config'

const MINUTE = 60_000
const SECOND = 1000

/**
 * Builds a password broker from its spec.
 *
 * @throws {InvalidArgumentsException} for an unknown user provider, an unknown store, or a time that is not positive
 */
export async function createPasswordBroker(
  name: string,
  spec: PasswordBrokerSpec,
  manager: AuthManager,
  logger: ErrorLog
): Promise<PasswordBroker> {
  const label = `The password broker "${name}"`
  return new PasswordBroker({
    users: manager.users(spec.provider),
    store: await createBrokerStore(name, label, spec),
    lifetime: positiveNumber(label, 'expire', spec.expire ?? 60) * MINUTE,
    throttle: positiveNumber(label, 'throttle', spec.throttle ?? 60, { orZero: true }) * SECOND,
    notify: async (email, token) => manager.config.passwordResetNotifier?.(email, token),
    recover: (user, users, ctx) => manager.accountAccess.recover(user, users, ctx),
    logger,
  })
}

function createBrokerStore(broker: string, label: string, spec: PasswordBrokerSpec) {
  const store = resolveStoreName(label, spec, 'database')
  return createStore<PasswordResetStore>(
    { ...spec, store },
    {
      async memory() {
        const { MemoryPasswordResetStore } = await import('#password_reset/stores/memory')
        return new MemoryPasswordResetStore()
      },
      async database() {
        const { DatabasePasswordResetStore } = await import('#password_reset/stores/database')
        return new DatabasePasswordResetStore(
          broker,
          spec.connection,
          await importModel(spec.model)
        )
      },
    }
  )
}
