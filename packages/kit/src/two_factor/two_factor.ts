import type { Encryption } from '@adonisjs/core/encryption'
import type { HttpContext } from '@adonisjs/core/http'
import type { EmitterService } from '@adonisjs/core/types'

import type { AccessKind } from '#auth/account_access'
import type { Features } from '#auth/features'
import { recordSecurityEvent } from '#auth/security_events'
import type { Users } from '#auth/users'
import { type FactorOwner, factorRows } from '#two_factor/database'
import type { ResolvedTwoFactorConfig } from '#two_factor/define_config'
import { generateRecoveryCodes, hashRecoveryCode } from '#two_factor/recovery_codes'
import { type TwoFactorSetup, describeSetup, openSetup, sealSetup } from '#two_factor/setup'
import { totpStepOf } from '#two_factor/totp'
import '#two_factor/events'

declare module '#auth/features' {
  interface AuthFeatures {
    twoFactor: TwoFactor
  }
}

/** What throttling counts wrong codes by. */
const ACTION = 'failedSecondFactors'

/** What somebody has to show. */
export type FactorProof = { code: string } | { recoveryCode: string }

/**
 * The second factor: codes of an authenticator app (TOTP, RFC 6238) and recovery
 * codes. The secret is stored encrypted, for its owner; a code counts once.
 */
export class TwoFactor {
  readonly #config: ResolvedTwoFactorConfig
  readonly #features: Pick<Features, 'feature'>
  readonly #encryption: Encryption
  readonly #emitter: EmitterService

  constructor(
    config: ResolvedTwoFactorConfig,
    services: {
      features: Pick<Features, 'feature'>
      encryption: Encryption
      emitter: EmitterService
    }
  ) {
    this.#config = config
    this.#features = services.features
    this.#encryption = services.encryption
    this.#emitter = services.emitter
  }

  /** Whether the user has turned the second factor on. */
  async isOn<User>(user: User, users: Users<User>): Promise<boolean> {
    return (await factorRows.find(ownerOf(user, users))) !== null
  }

  /** Recovery codes that were not used yet. */
  async recoveryCodesLeft<User>(user: User, users: Users<User>): Promise<number> {
    return factorRows.countCodes(ownerOf(user, users))
  }

  /** Begins to set an app up: a secret that only `setup` and `enable` can read, to be kept in the session. */
  begin<User>(user: User, users: Users<User>): string {
    return sealSetup(this.#encryption, ownerOf(user, users))
  }

  /** What the user's app needs; null when the set-up has expired or was not begun. */
  setup<User>(user: User, users: Users<User>, sealed: unknown): TwoFactorSetup | null {
    const secret = openSetup(this.#encryption, ownerOf(user, users), sealed)
    if (secret === null) {
      return null
    }
    const username = (user as Record<string, unknown>)[users.usernameKey]
    const account = String(username ?? users.identify(user))
    return describeSetup(secret, { issuer: this.#config.issuer, account })
  }

  /**
   * Turns the second factor on, in exchange for a code that the app shows. Null when
   * the code is wrong, when the set-up has expired, and when the second factor is on already.
   *
   * @returns the recovery codes in plain text: they are stored hashed and known here only
   * @throws {Throttled} when too many codes were wrong
   */
  async enable<User>(
    user: User,
    users: Users<User>,
    { sealed, code }: { sealed: unknown; code: string },
    ctx: HttpContext
  ): Promise<string[] | null> {
    const owner = ownerOf(user, users)
    const secret = openSetup(this.#encryption, owner, sealed)
    if (secret === null) {
      return null
    }
    const step = await this.#attempt(user, users, ctx, async () => totpStepOf(secret, code))
    if (step === null) {
      return null
    }
    const codes = generateRecoveryCodes()
    const encrypted = this.#encryption.encrypt(secret, { purpose: purposeOf(owner) })
    const hashes = codes.map(hashRecoveryCode)
    if (!(await factorRows.insert(owner, { secret: encrypted, step, codes: hashes }))) {
      return null
    }
    await recordSecurityEvent(ctx, user, 'two_factor_enabled', {}, users)
    return codes
  }

  /**
   * Whether somebody has the user's second factor. The code that proves it is used up.
   *
   * @throws {Throttled} when too many codes were wrong
   */
  async verify<User>(
    user: User,
    users: Users<User>,
    proof: FactorProof,
    ctx: HttpContext
  ): Promise<boolean> {
    const owner = ownerOf(user, users)
    const isProven = await this.#attempt(user, users, ctx, async () => {
      const proven =
        'code' in proof
          ? await this.#useCode(owner, proof.code, ctx)
          : await factorRows.useCode(owner, hashRecoveryCode(proof.recoveryCode))
      return proven || null
    })
    if (!isProven) {
      void this.#emitter.emit('two_factor:failed', { ctx, user })
      return false
    }
    if ('recoveryCode' in proof) {
      const left = await factorRows.countCodes(owner)
      void this.#emitter.emit('two_factor:recovery_code_used', { ctx, user, left })
    }
    return true
  }

  /**
   * Remembers the caller's device as one that has shown the second factor: whoever
   * knows the password and guesses codes elsewhere does not lock its user out.
   */
  trustDevice<User>(user: User, users: Users<User>, ctx: HttpContext): void {
    const throttle = this.#features.feature('throttle')
    throttle?.trustDevice(ACTION, subjectOf(user, users), ctx, users.passwordStamp(user))
  }

  /** Replaces the recovery codes; null while the second factor is off. */
  async renewRecoveryCodes<User>(
    user: User,
    users: Users<User>,
    ctx: HttpContext
  ): Promise<string[] | null> {
    const codes = generateRecoveryCodes()
    if (!(await factorRows.renewCodes(ownerOf(user, users), codes.map(hashRecoveryCode)))) {
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

  /** The second factor as what a stranger may have turned on. It opens nothing, so it has no page here. */
  get access(): AccessKind {
    return {
      name: 'two_factor',
      countOf: async (user, users) => Number(await this.isOn(user, users)),
      endAllOf: async (user, users) => void (await this.forget(user, users)),
    }
  }

  /** Deletes what is stored about a user, with their account. */
  async forget<User>(user: User, users: Users<User>): Promise<boolean> {
    return factorRows.delete(ownerOf(user, users))
  }

  /** A secret that cannot be decrypted, because the key has changed, takes no code: recovery codes still work. */
  async #useCode(owner: FactorOwner, code: string, { logger }: HttpContext): Promise<boolean> {
    const row = await factorRows.find(owner)
    if (!row) {
      return false
    }
    const secret = this.#encryption.decrypt<string>(row.secret, purposeOf(owner))
    if (secret === null) {
      logger.error(
        { user: owner },
        'Cannot decrypt the secret of a second factor: APP_KEY has changed'
      )
      return false
    }
    const step = totpStepOf(secret, code)
    return step !== null && factorRows.useStep(owner, step)
  }

  async #attempt<User, Result>(
    user: User,
    users: Users<User>,
    ctx: HttpContext,
    run: () => Promise<Result | null>
  ): Promise<Result | null> {
    const throttle = this.#features.feature('throttle')
    const stamps = () => users.passwordStamps(user)
    return throttle ? throttle.attempt(ACTION, subjectOf(user, users), ctx, run, stamps) : run()
  }
}

function subjectOf<User>(user: User, users: Users<User>) {
  return `${users.name}:${users.identify(user)}`
}

function ownerOf<User>(user: User, users: Users<User>): FactorOwner {
  return { userId: users.identify(user), provider: users.name }
}

/** A secret that is copied to another user's row cannot be decrypted there. */
function purposeOf({ userId, provider }: FactorOwner) {
  return `two_factor:${provider}:${userId}`
}
