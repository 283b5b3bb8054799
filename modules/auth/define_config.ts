import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import type { GuardSpec } from '#auth/guards/driver'
import type { LucidUserProviderSpec, UserProviderSpec } from '#auth/user_providers/specs'
import type { MaybePromise } from '#support/maybe_promise'

/** OAuth settings that once sat here and belong to `config/oauth2.ts` now (spec 1, Versioning). */
export const DEPRECATED_SETTINGS = [
  'key',
  'algorithm',
  'accessTokenTtl',
  'refreshTokenTtl',
  'personalAccessTokenTtl',
  'authorizationCodeTtl',
  'tokens',
  'issuer',
  'resources',
  'scopes',
  'pkceMethods',
  'requirePkce',
] as const

export type DeprecatedSetting = (typeof DEPRECATED_SETTINGS)[number]

/**
 * A password broker (spec 1, Password broker spec). Its tokens live in the
 * table `password_reset_tokens`, unless `store` says otherwise.
 */
export interface PasswordBrokerSpec {
  /** Name of a user provider in `config/auth.ts`. */
  provider: string
  /** Minutes a reset token lives. Default 60. */
  expire?: number
  /** Seconds between two reset tokens for one e-mail; 0 turns it off. Default 60. */
  throttle?: number
}

/** Delivers a reset token. It may be sync or async. */
export type PasswordResetNotifier = (email: string, token: string) => MaybePromise<void>

/** The settings of `config/auth.ts` (spec 1, AuthConfig). */
export interface AuthConfig {
  default?: {
    /** Guard used when none is named. Default `web`. */
    guard?: string
    /** Broker used by the reset routes. Default `users`. */
    passwords?: string
  }
  guards?: Record<string, GuardSpec>
  providers?: Record<string, UserProviderSpec>
  /** Setting it mounts the `/password/*` routes. */
  passwords?: Record<string, PasswordBrokerSpec>
  /** Cost of new password hashes, 4 to 31. Default 12. */
  bcryptRounds?: number
  /** Delivers a reset token to its user. */
  passwordResetNotifier?: PasswordResetNotifier
  /** Returns the reset token in the answer of `/password/email`: local development only. */
  debugExposeResetToken?: boolean
}

export type ResolvedAuthConfig = Required<Omit<AuthConfig, 'default' | 'passwordResetNotifier'>> & {
  default: { guard: string; passwords: string }
  passwordResetNotifier: PasswordResetNotifier | null
  /** Deprecated OAuth settings found in the config; `config/oauth2.ts` falls back to them. */
  deprecated: Partial<Record<DeprecatedSetting, unknown>>
}

/**
 * Fills in the defaults of the authentication settings.
 *
 * @throws {InvalidArgumentsException} when `bcryptRounds` is out of range
 */
export function defineConfig(
  config: AuthConfig & Partial<Record<DeprecatedSetting, unknown>>
): ResolvedAuthConfig {
  const bcryptRounds = config.bcryptRounds ?? 12
  if (!Number.isInteger(bcryptRounds) || bcryptRounds < 4 || bcryptRounds > 31) {
    throw new InvalidArgumentsException('AuthConfig: "bcryptRounds" must be between 4 and 31')
  }

  return {
    default: {
      guard: config.default?.guard ?? 'web',
      passwords: config.default?.passwords ?? 'users',
    },
    guards: config.guards ?? {},
    providers: config.providers ?? {},
    passwords: config.passwords ?? {},
    bcryptRounds,
    passwordResetNotifier: config.passwordResetNotifier ?? null,
    debugExposeResetToken: config.debugExposeResetToken ?? false,
    deprecated: Object.fromEntries(
      DEPRECATED_SETTINGS.filter((key) => config[key] !== undefined).map((key) => [
        key,
        config[key],
      ])
    ),
  }
}

/** A guard that recognises people by the session cookie. */
export function sessionGuard(spec: { provider: string }): GuardSpec {
  return { driver: 'session', ...spec }
}

/** A guard that recognises opaque API tokens. */
export function apiTokenGuard(spec: { provider: string }): GuardSpec {
  return { driver: 'token', ...spec }
}

/** A guard that recognises OAuth 2.1 access tokens; with an `audience`, those for that resource alone. */
export function oauth2Guard(spec: { provider: string; audience?: string | null }): GuardSpec {
  return { driver: 'oauth2', ...spec }
}

/** Users of a Lucid model. */
export function lucidUserProvider(
  spec: Omit<LucidUserProviderSpec<any>, 'driver'>
): UserProviderSpec {
  return { driver: 'lucid', ...spec }
}
