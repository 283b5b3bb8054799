import type { MaybePromise } from '#process/maybe_promise'
import { assertKind, markResolved, withDefaults } from '#config/checks'

/** How users carry their e-mail addresses. */
export interface Addresses<User = any> {
  current(user: User): string
  isVerified(user: User): boolean
  /** The address that the user wants to have instead and has not verified yet; null for none. */
  proposed(user: User): string | null
  /** A text that changes with the password: no link from before a new password works after it. */
  fingerprint(user: User): string
  /** Marks the current address as verified; false when it is not this one any more, or is verified already. */
  verify(user: User, email: string): MaybePromise<boolean>
  /**
   * Notes the address that the user wants to have; null to forget it.
   * @returns false when another request has noted the same one since the user was read, e.g. that of a second click
   */
  propose(user: User, email: string | null): MaybePromise<boolean | void>
  /** Makes the proposed address the current one, verified; false unless it is still proposed and free. */
  adopt(user: User, email: string): MaybePromise<boolean>
  isTaken(email: string): MaybePromise<boolean>
}

export interface AddressNotifier<User = any> {
  verify(user: User, email: string, link: string): MaybePromise<void>
  /** Somebody wants this address for their account, and another account has it. */
  taken(email: string): MaybePromise<void>
}

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

/** @throws {InvalidArgumentsException} for an unknown or missing setting, and for a time that is not above 0 */
export function defineConfig<User>(
  config: EmailVerificationConfig<User>
): ResolvedEmailVerificationConfig {
  const settings = withDefaults('EmailVerificationConfig', config, {
    expire: 1440,
    required: false,
    addresses: undefined,
    notifier: undefined,
  })
  assertKind('EmailVerificationConfig', 'addresses', settings.addresses, 'an object')
  assertKind('EmailVerificationConfig', 'notifier', settings.notifier, 'an object')
  return markResolved(settings)
}
