import type { Encryption } from '@adonisjs/core/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import type { EmitterService } from '@adonisjs/core/types'

import type { AccessKind } from '#auth/account_access'
import type { UserOf } from '#auth/guard_types'
import { type Features, attempt } from '#auth/features'
import { recordSecurityEvent } from '#auth/security_events'
import type { LoginStep } from '#auth/login_steps'
import type { Credentials, Owner, Users } from '#auth/users'
import { factorRows } from '#two_factor/database'
import { pathTo } from '#http/pages'
import type { ResolvedTwoFactorConfig } from '#two_factor/define_config'
import * as totp from '#two_factor/totp'

declare module '@adonisjs/core/types' {
  interface EventsList {
    'two_factor:recovery_code_used': { ctx: HttpContext; user: any; left: number }
    /** A code was wrong, though the password was right or a session was there. */
    'two_factor:failed': { ctx: HttpContext; user: any }
  }
}

const ACTION = 'failedSecondFactors'

/**
 * The second factor: codes of an authenticator app (TOTP, RFC 6238) and recovery codes, asked for
 * after the password. The secret is stored encrypted, for its owner; a code counts once.
 */
export class TwoFactor implements LoginStep {
  readonly name = 'two_factor'
  readonly credentialKeys = ['two_factor_code', 'recovery_code']

  constructor(
    protected config: ResolvedTwoFactorConfig,
    protected readonly services: {
      features: Pick<Features, 'feature'>
      encryption: Encryption
      emitter: EmitterService
    }
  ) {}

  get path(): string {
    return pathTo('two_factor_login.create')
  }

  async isOn<User>(user: User, users: Users<User>): Promise<boolean> {
    return (await factorRows.find(users.ownerOf(user))) !== null
  }

  isRequired<User>(user: User, users: Users<User>): Promise<boolean> {
    return this.isOn(user, users)
  }

  /** A recovery code is a second factor, but no one-time password of a device (RFC 8176 §2). */
  methodsOf({ two_factor_code: code }: Credentials): readonly string[] {
    return typeof code === 'string' ? ['otp', 'mfa'] : ['mfa']
  }

  /** Whether a code or recovery code is right: then it is used up. @throws {Throttled} when too many were wrong */
  async take<User>(user: User, users: Users<User>, credentials: Credentials, ctx: HttpContext) {
    const { two_factor_code: code, recovery_code: recoveryCode } = credentials
    const owner = users.ownerOf(user)
    /* Null is counted. A code that was used before gives false: it is no guess. */
    const use = async () =>
      typeof code === 'string'
        ? this.#useCode(owner, code, ctx)
        : (await factorRows.useCode(owner, totp.hashRecoveryCode(String(recoveryCode)))) || null
    const isProven = await this.#attempt(user, users, ctx, use)
    if (!isProven) {
      void this.services.emitter.emit('two_factor:failed', { ctx, user })
      return false
    }
    if (typeof code !== 'string') {
      const left = await factorRows.countCodes(owner)
      void this.services.emitter.emit('two_factor:recovery_code_used', { ctx, user, left })
    }
    return true
  }

  async recoveryCodesLeft<User>(user: User, users: Users<User>): Promise<number> {
    return factorRows.countCodes(users.ownerOf(user))
  }

  /** Begins to set an app up: a secret that only `setup` and `enable` can read, to be kept in the session. */
  beginSetup<User>(user: User, users: Users<User>): string {
    return totp.sealSetup(this.services.encryption, users.ownerOf(user))
  }

  /** What the user's app needs; null when the set-up has expired or was not begun. */
  setup<User>(user: User, users: Users<User>, sealed: unknown): totp.TwoFactorSetup | null {
    const secret = totp.openSetup(this.services.encryption, users.ownerOf(user), sealed)
    if (secret === null) {
      return null
    }
    const { issuer } = this.config
    const uri = totp.totpUri(secret, { issuer, account: users.usernameOf(user) })
    return { secret, uri, qrCode: totp.qrCodeSvg(uri) }
  }

  /**
   * Turns the second factor on, in exchange for a code that the app shows.
   * @returns the recovery codes, which are stored hashed; null when the code is wrong, the set-up has
   * expired, or the second factor is on already
   * @throws {Throttled} when too many codes were wrong
   */
  async enable<User>(
    user: User,
    users: Users<User>,
    { sealed, code }: { sealed: unknown; code: string },
    ctx: HttpContext
  ): Promise<string[] | null> {
    const owner = users.ownerOf(user)
    const secret = totp.openSetup(this.services.encryption, owner, sealed)
    if (secret === null) {
      return null
    }
    const step = await this.#attempt(user, users, ctx, async () => totp.totpStepOf(secret, code))
    if (step === null) {
      return null
    }
    const codes = totp.generateRecoveryCodes()
    const encrypted = this.services.encryption.encrypt(secret, { purpose: purposeOf(owner) })
    if (!(await factorRows.insert(owner, encrypted, step, codes.map(totp.hashRecoveryCode)))) {
      return null
    }
    await ctx.authenticator.settle(() => factorRows.delete(owner))
    await recordSecurityEvent(ctx, user, 'two_factor_enabled', {}, users)
    return codes
  }

  /** Whoever knows the password and guesses codes elsewhere does not lock out a trusted device. */
  trustDevice<User>(user: User, users: Users<User>, ctx: HttpContext): void {
    const throttle = this.services.features.feature('throttle')
    throttle?.trustDevice(ACTION, users.subjectOf(user), ctx, users.passwordStamp(user))
  }

  /** Replaces the recovery codes; null while the second factor is off. */
  async renewRecoveryCodes<User>(user: User, users: Users<User>, ctx: HttpContext) {
    const codes = totp.generateRecoveryCodes()
    if (!(await factorRows.renewCodes(users.ownerOf(user), codes.map(totp.hashRecoveryCode)))) {
      return null
    }
    await recordSecurityEvent(ctx, user, 'recovery_codes_created', {}, users)
    return codes
  }

  /** Turns the second factor off; false when it was off. */
  async disable<User>(user: User, users: Users<User>, ctx: HttpContext): Promise<boolean> {
    const wasOn = await this.forget(user, users)
    if (wasOn) {
      await recordSecurityEvent(ctx, user, 'two_factor_disabled', {}, users)
    }
    return wasOn
  }

  /** A stranger may have turned it on. It opens nothing, so it has no page here. */
  get access(): AccessKind {
    return {
      name: 'two_factor',
      countOf: async (user, users) => Number(await this.isRequired(user, users)),
      endAllOf: async (user, users) => Number(await this.forget(user, users)),
    }
  }

  /** Deletes what is stored about a user; false when there was nothing. */
  async forget<User>(user: User, users: Users<User>): Promise<boolean> {
    return factorRows.delete(users.ownerOf(user))
  }

  /** While a secret cannot be decrypted, because the key has changed, recovery codes still work. */
  async #useCode(owner: Owner, code: string, { logger }: HttpContext): Promise<boolean | null> {
    const row = await factorRows.find(owner)
    if (!row) {
      return null
    }
    const secret = this.services.encryption.decrypt<string>(row.secret, purposeOf(owner))
    if (secret === null) {
      const message = 'Cannot decrypt the secret of a second factor: APP_KEY has changed'
      logger.error({ user: owner }, message)
      return null
    }
    const step = totp.totpStepOf(secret, code)
    return step === null ? null : factorRows.useStep(owner, step)
  }

  async #attempt<User, Result>(
    user: User,
    users: Users<User>,
    ctx: HttpContext,
    run: () => Promise<Result | null>
  ): Promise<Result | null> {
    const stamps = () => users.passwordStamps(user)
    const { features } = this.services
    return attempt(features, ACTION, users.subjectOf(user), ctx, run, stamps)
  }
}

/** A secret that is copied to another user's row cannot be decrypted there. */
const purposeOf = ({ userId, provider }: Owner) => `two_factor:${provider}:${userId}`

/** Turns the second factor of a person off, who has lost it; false when there was none. */
export async function resetSecondFactor(user: UserOf): Promise<boolean> {
  const manager = await app.container.make('auth_manager')
  return manager.feature('twoFactor')!.forget(user, manager.usersOf())
}
