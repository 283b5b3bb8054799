import type { HttpContext } from '@adonisjs/core/http'

import type { PasswordBrokerSpec } from '#auth/define_config'
import { Throttled } from '#auth/errors'
import { AuthManager } from '#auth/manager'
import { PasswordBroker } from '#password_reset/broker'
import type { Background, ErrorLog } from '#process/background'
import type { Purges } from '#database/purges'
import { assertArgument, positiveNumber } from '#config/checks'
import { assertConnection, importModel } from '#database/models'
import { resolveStoreName } from '#config/store_config'
import { nullFor } from '#process/null_for'

declare module '#auth/manager' {
  interface AuthManager {
    /** Default: `default.passwords`. @throws {InvalidArgumentsException} when no broker has this name */
    broker(name?: string): PasswordBroker
  }
}

AuthManager.macro('broker', function (this: AuthManager, name) {
  const resets = this.feature('passwordResets')
  assertArgument(resets, 'There are no password brokers: set "passwords" in config/auth.ts')
  return resets.broker(name)
})

const MINUTE = 60_000
const SECOND = 1000

/** The password brokers of `config/auth.ts`, and requests for reset links. */
export class PasswordResets {
  private constructor(
    protected manager: AuthManager,
    protected background: Background,
    protected brokers: Map<string, PasswordBroker>
  ) {}

  /** Registers the brokers with the manager; null without any. @throws {InvalidArgumentsException} for a wrong one */
  static async register(
    manager: AuthManager,
    services: { background: Background; purges: Purges; logger: ErrorLog }
  ): Promise<PasswordResets | null> {
    const specs = Object.entries(manager.config.passwords)
    if (!specs.length) {
      return null
    }
    const brokers = new Map<string, PasswordBroker>()
    for (const [name, spec] of specs) {
      const broker = await createPasswordBroker(name, spec, manager, services.logger)
      brokers.set(name, broker)
      const purge = { name: `expired reset tokens of "${name}"`, run: () => broker.purge() }
      services.purges.add({ ...purge, interval: 300 })
    }
    const resets = new PasswordResets(manager, services.background, brokers)
    resets.broker()
    manager.registerFeature('passwordResets', resets)
    return resets
  }

  /** @throws {InvalidArgumentsException} when no broker has this name */
  broker(name: string = this.manager.config.default.passwords): PasswordBroker {
    const broker = this.brokers.get(name)
    assertArgument(broker, `There is no password broker "${name}" in config/auth.ts`)
    return broker
  }

  /**
   * Handles an unauthenticated request for a reset link. What depends on the e-mail happens after the
   * reply, so that neither it nor its time tells whether there is such a user.
   * @returns the token, for the reply: with `debugExposeResetToken` alone, and when one was made
   * @throws {Throttled} when this address has asked too often
   * @throws {ProviderRequired} for an address whose organisation forbids passwords
   */
  async requestLink(email: string, ctx: HttpContext): Promise<string | null> {
    await this.manager.feature('social')?.assertPasswordWorks(ctx, email)
    await this.manager.feature('throttle')?.penalize('passwordMails', null, ctx)

    const broker = this.broker()
    const afterReply = (task: () => Promise<void>) =>
      this.background.afterReply(ctx.response, 'send a password reset link', task)

    if (!this.manager.config.debugExposeResetToken) {
      afterReply(async () => void (await broker.sendResetLink(email).catch(nullFor(Throttled))))
      return null
    }

    const token = await broker.createToken(email).catch(nullFor(Throttled))
    if (token !== null) {
      afterReply(() => broker.deliver(email, token))
    }
    return token
  }
}

/** @throws {InvalidArgumentsException} for an unknown user provider, an unknown store or connection, or a time that is not positive */
async function createPasswordBroker(
  name: string,
  spec: PasswordBrokerSpec,
  manager: AuthManager,
  logger: ErrorLog
): Promise<PasswordBroker> {
  const label = `The password broker "${name}"`
  const users = manager.users(spec.provider)
  const store = await createBrokerStore(name, label, spec)
  const lifetime = positiveNumber(label, 'expire', spec.expire ?? 60) * MINUTE
  const pause = positiveNumber(label, 'throttle', spec.throttle ?? 60, { orZero: true })
  const times = { lifetime, throttle: pause * SECOND }
  return new PasswordBroker(users, store, times, { manager, logger })
}

async function createBrokerStore(broker: string, label: string, spec: PasswordBrokerSpec) {
  const store = resolveStoreName(label, spec, 'database')
  if (store === 'instance') {
    return spec.instance!
  }
  const stores = await import('#password_reset/store')
  if (store === 'memory') {
    return new stores.MemoryPasswordResetStore()
  }
  const { default: db } = await import('@adonisjs/lucid/services/db')
  assertConnection(db, spec.connection)
  const model = await importModel(spec.model)
  return new stores.DatabasePasswordResetStore(broker, spec.connection, model)
}
