import { RuntimeException } from '@adonisjs/core/exceptions'
import app from '@adonisjs/core/services/app'

import type { AuthManager } from '#auth/manager'
import type { UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import type { ApiTokenService, NewApiTokenOptions } from '#api_token/api_token_service'
import type { ApiTokenDetails, NewApiToken } from '#api_token/token'

/**
 * Creates and revokes API tokens (spec 1, Programmatic facades), from anywhere:
 * a request, a command, a job.
 *
 * `guard` says whose users are meant: it names a token guard. By default that is
 * the default guard when it is a token guard, and the first token guard otherwise.
 */
export class ApiToken {
  /**
   * Creates a token. Its plain text is known only now.
   *
   * @throws {InvalidArgumentsException} when there is no such user, or an option is not usable
   */
  static async create<User = any>(
    userOrId: User | UserId,
    { guard, ...options }: NewApiTokenOptions & { guard?: string } = {}
  ): Promise<NewApiToken> {
    const { service, users } = await resolve(guard)
    return service.create(users, userOrId, options)
  }

  /** The user's tokens that have not expired, the oldest first. */
  static async tokens<User = any>(
    userOrId: User | UserId,
    guard?: string
  ): Promise<ApiTokenDetails[]> {
    const { service, users } = await resolve(guard)
    return service.list(users, userOrId)
  }

  /**
   * Revokes one token; false when there is none. It does not ask whose token it
   * is: where the id comes from a request, look for it in the user's own `tokens()`.
   */
  static async revoke(tokenId: string | number): Promise<boolean> {
    const { service } = await feature()
    return service.revoke(tokenId)
  }

  /** Revokes all of the user's tokens and returns how many there were. */
  static async revokeAll<User = any>(userOrId: User | UserId, guard?: string): Promise<number> {
    const { service, users } = await resolve(guard)
    return service.revokeAll(users, userOrId)
  }
}

async function feature(): Promise<{ manager: AuthManager; service: ApiTokenService }> {
  const manager = await app.container.make('auth_manager')
  const service = manager.feature('apiTokens')
  if (!service) {
    throw new RuntimeException('There are no API tokens: add AuthApiTokenProvider in adonisrc.ts')
  }
  return { manager, service }
}

async function resolve(guard?: string): Promise<{ service: ApiTokenService; users: Users }> {
  const { manager, service } = await feature()
  return { service, users: manager.usersOf(manager.guardWith('token', guard)) }
}
