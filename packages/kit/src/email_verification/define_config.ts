import { positiveNumber, withDefaults } from '#config/checks'
import { markResolved } from '#config/file'
import type { AddressNotifier, Addresses } from '#email_verification/types'

/** The settings of `config/email_verification.ts`. */
export interface EmailVerificationConfig<User = any> {
  /** Minutes that a link works. Default 1440, a day. */
  expire?: number
  /** Whether people without a verified address cannot sign in. Default false. */
  required?: boolean
  /** How users carry their addresses. */
  addresses: Addresses<User>
  /** Delivers links. */
  notifier: AddressNotifier<User>
}

export type ResolvedEmailVerificationConfig = Required<EmailVerificationConfig>

/**
 * Fills in the defaults of the settings of e-mail verification.
 *
 * @throws {InvalidArgumentsException} for an unknown setting, and for a time that is not above 0
 */
export function defineConfig<User>(
  config: EmailVerificationConfig<User>
): ResolvedEmailVerificationConfig {
  const { addresses, notifier } = config
  const defaults = { expire: 1440, required: false, addresses, notifier }
  const settings = withDefaults('EmailVerificationConfig', config, defaults)
  positiveNumber('EmailVerificationConfig', 'expire', settings.expire)
  return markResolved(settings)
}
