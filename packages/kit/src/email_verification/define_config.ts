import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
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

const SETTINGS: KeysOf<EmailVerificationConfig> = {
  expire: true,
  required: true,
  addresses: true,
  notifier: true,
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
  assertKnownKeys('EmailVerificationConfig', config, SETTINGS)
  return markResolved({
    expire: positiveNumber('EmailVerificationConfig', 'expire', config.expire ?? 1440),
    required: config.required ?? false,
    addresses: config.addresses,
    notifier: config.notifier,
  })
}
