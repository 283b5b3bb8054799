import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { FeatureNotRegistered } from '#auth/errors'
import type { GuardDriver } from '#auth/guards/driver'

/** The providers of the drivers of this package, for the message when one is missing. */
const PROVIDERS = new Map([
  [
    'session',
    { name: 'AuthSessionProvider', module: 'adonis-auth-kit/providers/auth_session_provider' },
  ],
  [
    'token',
    { name: 'AuthApiTokenProvider', module: 'adonis-auth-kit/providers/auth_api_token_provider' },
  ],
  [
    'oauth2',
    { name: 'AuthOAuth2Provider', module: 'adonis-auth-kit/providers/auth_oauth2_provider' },
  ],
])

/** Resolves the alias `passport`, which is also the driver of a spec that names none. */
export function driverName(driver: string = 'passport'): string {
  return driver === 'passport' ? 'oauth2' : driver
}

/** The registered guard drivers. */
export class GuardDrivers {
  readonly #drivers = new Map<string, GuardDriver>()

  register(driver: GuardDriver): void {
    this.#drivers.set(driver.name, driver)
  }

  /**
   * A driver by its name.
   *
   * @param requiredBy what requires the driver, for the error message, e.g. `The guard "web"`
   * @throws {FeatureNotRegistered} when it belongs to a provider that is not registered
   * @throws {InvalidArgumentsException} when there is no such driver
   */
  get(name: string, requiredBy: string): GuardDriver {
    const driver = this.#drivers.get(name)
    if (driver) {
      return driver
    }
    const provider = PROVIDERS.get(name)
    if (provider) {
      throw new FeatureNotRegistered(requiredBy, name, provider)
    }
    throw new InvalidArgumentsException(`${requiredBy} has the unknown driver "${name}"`)
  }
}
