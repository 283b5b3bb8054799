import is from '@adonisjs/core/helpers/is'
import app from '@adonisjs/core/services/app'
import type { DateTime } from 'luxon'

import type { UserId } from '#auth/users'
import { type NewApiToken, type NewApiTokenOptions, OPTIONS } from '#api_token/token'
import { assertArgument, assertKnownKeys, assertRuntime } from '#config/checks'

/** The settings of a new token. `guard` names a token guard. */
export interface ApiTokenCreation extends NewApiTokenOptions {
  guard?: string | null
}

const POSITIONS: (keyof ApiTokenCreation)[] = ['name', 'abilities', 'expiresAt', 'guard']

/**
 * Creates and revokes API tokens, from anywhere. `guard` names the token guard whose users own them.
 * Default: the default guard when it is a token guard, and the first token guard otherwise.
 */
export class ApiToken {
  /**
   * Settings are by name or in the order of `POSITIONS`. The plain text is known only now.
   * @throws {InvalidArgumentsException} for an unknown user, or an unknown or unusable setting
   */
  static create<User = any>(
    userOrId: User | UserId,
    options?: ApiTokenCreation
  ): Promise<NewApiToken>
  static create<User = any>(
    userOrId: User | UserId,
    name?: string | null,
    abilities?: string[] | null,
    expiresAt?: Date | DateTime | null,
    guard?: string | null
  ): Promise<NewApiToken>
  static async create(userOrId: unknown, ...settings: unknown[]): Promise<NewApiToken> {
    const { guard, ...options } = readCreation(settings)
    const { service, users } = await resolve(guard)
    return service.create(users, userOrId, options)
  }

  /** The user's tokens that have not expired, the oldest first. */
  static async tokens<User = any>(userOrId: User | UserId, guard?: string | null) {
    const { service, users } = await resolve(guard)
    return service.list(users, userOrId)
  }

  /**
   * Revokes a token, whoever owns it; false when it does not exist. Look an id from a request up in the
   * user's own `tokens()` first.
   */
  static async revoke(tokenId: string | number): Promise<boolean> {
    const { service } = await feature()
    return service.revoke(tokenId)
  }

  /** Revokes all of the user's tokens and returns how many there were. */
  static async revokeAll<User = any>(userOrId: User | UserId, guard?: string | null) {
    const { service, users } = await resolve(guard)
    return service.revokeAll(users, userOrId)
  }
}

async function feature() {
  const manager = await app.container.make('auth_manager')
  const service = manager.feature('apiTokens')
  assertRuntime(service, 'API tokens are not available: add AuthApiTokenProvider to adonisrc.ts')
  return { manager, service }
}

async function resolve(guard?: string | null) {
  const { manager, service } = await feature()
  return { service, users: manager.usersOf(manager.guardWith('token', guard ?? undefined)) }
}

/** Reads either form. What it does not know it refuses: a misplaced setting must not widen a token. */
function readCreation(settings: unknown[]): ApiTokenCreation {
  const tooMany = `ApiToken.create takes a user and up to ${POSITIONS.length} settings: ${POSITIONS.join(', ')}`
  assertArgument(settings.length <= POSITIONS.length, tooMany)
  const [first, ...rest] = settings
  if (!is.plainObject(first)) {
    return Object.fromEntries(settings.map((value, index) => [POSITIONS[index], value]))
  }
  assertArgument(!rest.length, 'ApiToken.create takes settings by name or by position, not both')
  assertKnownKeys('ApiToken.create', first, { ...OPTIONS, guard: true })
  return first
}
