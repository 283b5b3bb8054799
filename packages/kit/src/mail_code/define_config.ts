import { type KeysOf, assertKnownKeys, positiveNumber } from '#config/checks'
import { markResolved } from '#config/file'
import {
  STORE_KEYS,
  type ResolvedStoreConfig,
  type StoreConfig,
  resolveStoreName,
} from '#config/store_config'
import type { MailCodeStore } from '#mail_code/store'
import type { MaybePromise } from '#process/maybe_promise'

/** Delivers a code. */
export type MailCodeNotifier = (
  email: string,
  mail: {
    code: string
    /** A page with the code in its field. It works in the browser that asked. */
    link: string
    /** How long the code works. */
    minutes: number
  }
) => MaybePromise<void>

/** The settings of `config/mail_code.ts`. */
export interface MailCodeConfig extends StoreConfig<MailCodeStore> {
  /** Whether people can sign in, and confirm that it is them, by a code that is sent to their address. Default false. */
  signIn?: boolean
  /** Whom a code is asked of after the password: everybody, nobody, or those that a function of the user names. Default false. */
  afterPassword?: boolean | ((user: any) => MaybePromise<boolean>)
  /** Minutes that a code works. Default 10. */
  expire?: number
  notifier: MailCodeNotifier
}

const SETTINGS: KeysOf<MailCodeConfig> = {
  ...STORE_KEYS,
  signIn: true,
  afterPassword: true,
  expire: true,
  notifier: true,
}

export interface ResolvedMailCodeConfig extends ResolvedStoreConfig<MailCodeStore> {
  signIn: boolean
  afterPassword: (user: any) => MaybePromise<boolean>
  expire: number
  notifier: MailCodeNotifier
}

/**
 * Fills in the defaults of the settings for codes by mail.
 *
 * @throws {InvalidArgumentsException} for an unknown setting or store, and a time that is not above 0
 */
export function defineConfig(config: MailCodeConfig): ResolvedMailCodeConfig {
  assertKnownKeys('MailCodeConfig', config, SETTINGS)
  const { afterPassword = false } = config
  return markResolved({
    ...config,
    store: resolveStoreName('MailCodeConfig', config, 'database'),
    signIn: config.signIn ?? false,
    afterPassword: typeof afterPassword === 'function' ? afterPassword : () => afterPassword,
    expire: positiveNumber('MailCodeConfig', 'expire', config.expire ?? 10),
  })
}
