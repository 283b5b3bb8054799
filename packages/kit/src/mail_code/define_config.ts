import { assertKind, markResolved } from '#config/checks'
import { type Resolved, type StoreConfig, withStore } from '#config/store_config'
import type { MailCodeStore } from '#mail_code/store'
import type { MaybePromise } from '#process/maybe_promise'

export type MailCodeNotifier = (
  email: string,
  mail: {
    code: string
    /** A page with the code in its field. It works in the browser that asked. */
    link: string
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
  /** Delivers codes. */
  notifier: MailCodeNotifier
}

export interface ResolvedMailCodeConfig extends Resolved<MailCodeConfig> {
  afterPassword: (user: any) => MaybePromise<boolean>
}

/** @throws {InvalidArgumentsException} for an unknown setting or store, a missing notifier, and a time that is not above 0 */
export function defineConfig(config: MailCodeConfig): ResolvedMailCodeConfig {
  const settings = withStore('MailCodeConfig', config, 'database', {
    signIn: false,
    afterPassword: undefined,
    expire: 10,
    notifier: undefined,
  })
  const { afterPassword = false, notifier } = settings
  assertKind('MailCodeConfig', 'notifier', notifier, 'a function')
  const asks = typeof afterPassword === 'function' ? afterPassword : () => afterPassword
  return markResolved({ ...settings, afterPassword: asks })
}
