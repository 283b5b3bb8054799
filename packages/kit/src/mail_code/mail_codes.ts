import { randomInt } from 'node:crypto'

import type { Encryption } from '@adonisjs/core/encryption'
import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'
import type { Credentials, Users } from '#auth/users'
import { pendingOne } from '#http/pending'
import type { ResolvedMailCodeConfig } from '#mail_code/define_config'
import type { MailCodeStore } from '#mail_code/store'
import type { Background } from '#process/background'
import { generateIdentifier, handOver } from '#security/secrets'
import type { LoginStep } from '#auth/login_steps'

/** Wrong answers that a code survives, and one more. */
const TRIES = 5
const PURPOSE = 'mail_code'

/** What a code is for: it counts for nothing else. */
export type MailCodePurpose = 'login' | 'step' | 'confirm'

/** The pages that ask for a code. */
export const PATHS: Record<MailCodePurpose, string> = {
  login: '/login/code',
  step: '/login/code',
  confirm: '/confirm/code',
}

/** A code that this browser has asked for. A newer one replaces it. */
export interface PendingCode {
  id: string
  purpose: MailCodePurpose
  email: string
  remember: boolean
  /** Epoch milliseconds. */
  expiresAt: number
}

/** Six digits that are sent to an address, for the browser that asked for them. */
export class MailCodes {
  constructor(
    readonly config: ResolvedMailCodeConfig,
    protected readonly services: {
      store: MailCodeStore
      manager: AuthManager
      background: Background
      encryption: Encryption
      appUrl: string
    }
  ) {}

  /**
   * Sends a code to the account with this address. What depends on the account happens after the
   * reply, and what is stored is the same without one: neither the answers, nor their time, nor the
   * limits tell whether there is an account.
   * @throws {Throttled} when this address, or this caller, has asked too often
   */
  async send(
    ctx: HttpContext,
    users: Users,
    code: Pick<PendingCode, 'email' | 'purpose'> & { remember?: boolean }
  ): Promise<void> {
    const { manager, store, background } = this.services
    const { email, purpose, remember = false } = code
    if (purpose === 'login') {
      await manager.feature('social')?.assertPasswordWorks(ctx, email)
    }
    /* Anybody asks for codes of a sign-in: that uses up none of those for who has a session, or knows the password. */
    const subject = (purpose === 'login' ? '' : `${purpose}:`) + subjectOf(users, email)
    await manager.feature('throttle')?.penalize('verificationMails', subject, ctx)
    const id = generateIdentifier()
    const digits = String(randomInt(1_000_000)).padStart(6, '0')
    const expiresAt = Date.now() + this.config.expire * 60_000
    const hash = this.services.encryption.blindIndex([id, digits], PURPOSE)
    await store.insert({ id, hash, tries: TRIES, expiresAt })
    const pending: PendingCode = { id, purpose, email, remember, expiresAt }
    kept.keep(ctx, pending)
    background.afterReply(ctx.response, 'send a code by mail', async () => {
      const user = await users.findActiveByUsername(email)
      const [seal] = this.#sealsOf(id, user && users.passwordStamp(user))
      await store.insert({ id: seal!, hash: '', tries: TRIES, expiresAt })
      if (user) {
        const { notifier, expire: minutes } = this.config
        const link = new URL(`${PATHS[purpose]}?code=${digits}`, this.services.appUrl).href
        const mail = { code: digits, link, minutes }
        await handOver(digits, () => notifier(users.usernameOf(user), mail))
      }
    })
  }

  /** The code that this browser has asked for; null when there is none. */
  pending(ctx: HttpContext, purpose: MailCodePurpose): PendingCode | null {
    const code = kept.find(ctx)
    return code?.purpose === purpose ? code : null
  }

  /**
   * The code, if it was typed right: it is used up, of several requests by one. `gone`: no code is live.
   * @throws {Throttled} when this caller has typed too many wrong ones
   */
  async redeem(ctx: HttpContext, purpose: MailCodePurpose, typed: string) {
    const { store, manager, encryption } = this.services
    const pending = this.pending(ctx, purpose)
    const hash = pending && (await store.try(pending.id, Date.now()))
    const isLive = pending && hash !== null
    /* One for each key of the application, because a server may have another one first while keys change. */
    const hashes = isLive ? encryption.blindIndexes([pending.id, typed], PURPOSE) : []
    if (isLive && !hashes.some((one) => safeEqual(hash, one))) {
      await manager.feature('throttle')?.penalize('failedLogins', null, ctx)
      return 'wrong'
    }
    pending && kept.forget(ctx)
    return isLive && (await store.consume(pending.id)) ? pending : 'gone'
  }

  /** The id, for each key as above, of a row that tells the password of the account. A column would be written before the reply. */
  #sealsOf(id: string, stamp: string | null): string[] {
    const seals = this.services.encryption.blindIndexes([id, stamp ?? ''], 'mail_code_password')
    return seals.map((seal) => seal.slice(0, id.length))
  }

  /** The owner of the address, who arrives by the code; null without one, or if the password is a newer one. Options: see `AccountAccess.firstArrival`. */
  async arrive(
    ctx: HttpContext,
    users: Users,
    { id, email }: PendingCode,
    options: { knowsPassword?: boolean } = {}
  ): Promise<any> {
    const { manager, store } = this.services
    const user = await users.findActiveByUsername(email)
    const seals = user ? this.#sealsOf(id, users.passwordStamp(user)) : []
    const found = await Promise.all(seals.map((seal) => store.try(seal, Date.now())))
    if (found.every((hash) => hash === null)) {
      return null
    }
    const isFirst = await manager.accountAccess.firstArrival(user, users, ctx, options)
    /* Read once more, because the first arrival has replaced the password. Any other change of it ends the sign-in, and so does one of the address. */
    const now = await users.findActiveByUsername(email)
    const arrived = isFirst || !now ? now : user
    if (arrived) {
      /* From now on strangers who ask for codes use up nothing of this device's. */
      manager.feature('throttle')?.trustDevice('verificationMails', subjectOf(users, email), ctx)
    }
    return arrived
  }

  /** Whether a code shows that this user is there. @throws {Throttled} when too many were wrong */
  async confirms(
    ctx: HttpContext,
    users: Users,
    user: unknown,
    code: string,
    purpose: MailCodePurpose = 'confirm'
  ) {
    const typed = await this.redeem(ctx, purpose, code)
    if (typeof typed === 'string') {
      return typed
    }
    const owner = await this.arrive(ctx, users, typed, { knowsPassword: true })
    return owner && users.identify(owner) === users.identify(user) ? 'right' : 'gone'
  }

  async purge(): Promise<number> {
    return this.services.store.purge(Date.now())
  }
}

const kept = pendingOne<PendingCode>('mail_code')

const subjectOf = ({ name }: Users, email: string) => `code:${name}:${email}`

/** Asks for a code by mail after the password, of those that `afterPassword` names. */
export class MailCodeStep<User = any> implements LoginStep<User> {
  readonly name = 'mail_code'
  readonly path = PATHS.step
  readonly credentialKeys = ['mail_code']

  /** Of this moment: tests and forks replace the feature. */
  constructor(protected codes: () => MailCodes | undefined) {}

  methodsOf() {
    return ['otp']
  }

  async isRequired(user: User): Promise<boolean> {
    return (await this.codes()?.config.afterPassword(user)) ?? false
  }

  async begin(user: User, users: Users<User>, ctx: HttpContext): Promise<void> {
    const email = users.usernameOf(user)
    await this.codes()?.send(ctx, users, { email, purpose: 'step' })
  }

  async take(user: User, users: Users<User>, credentials: Credentials, ctx: HttpContext) {
    const code = String(credentials.mail_code)
    return (await this.codes()?.confirms(ctx, users, user, code, 'step')) === 'right'
  }
}
