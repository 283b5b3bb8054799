import { RuntimeException } from '@adonisjs/core/exceptions'

import { currentRequest } from '#support/current_request'
import type { Guard, LoginGuard } from '#auth/guards/guard'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'

/**
 * Authentication of the current request, from anywhere inside it (spec 1,
 * Programmatic facades). Every method throws a RuntimeException outside a request.
 */
export class Auth {
  /**
   * Checks the credentials and starts a session; false on any failure.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  static async attempt(credentials: Credentials, guard?: string): Promise<boolean> {
    return loginGuard(guard).attempt(credentials)
  }

  /**
   * Starts a session for a user and gives it a new id.
   *
   * @throws {InvalidSession} when there is no such user or it is inactive
   */
  static async login<User = any>(userOrId: NoInfer<User> | UserId, guard?: string): Promise<User> {
    return loginGuard(guard).login(userOrId)
  }

  /** Ends the session. */
  static async logout(guard?: string): Promise<void> {
    return loginGuard(guard).logout()
  }

  /**
   * The user whose credentials these are, without a login; null when they are
   * not valid. Failures count like those of `attempt`.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  static async validate<User = any>(
    credentials: Credentials,
    guard?: string
  ): Promise<User | null> {
    return currentRequest('Auth').auth.validate<User>(credentials, guard)
  }

  /** The current user, or null. */
  static async user<User = any>(guard?: string): Promise<User | null> {
    const found = Auth.guard(guard)
    return (await currentRequest('Auth').auth.check([found.name])) ? found.context!.user : null
  }

  /** The current user's id, or null. */
  static async id(guard?: string): Promise<UserId | null> {
    const user = await Auth.user(guard)
    return user ? Auth.guard(guard).users.provider.getIdentifier(user) : null
  }

  /** Whether a user is authenticated. */
  static async check(guard?: string): Promise<boolean> {
    return (await Auth.user(guard)) !== null
  }

  /**
   * A guard of this request; the default guard when none is named.
   *
   * @throws {RuntimeException} when no guard has this name
   */
  static guard(name?: string): Guard {
    const { auth } = currentRequest('Auth')
    return auth.use(name)
  }
}

/** The same class: Node.js has one execution model, and every method returns a promise. */
export const AsyncAuth = Auth

function loginGuard(name?: string): LoginGuard {
  const guard = Auth.guard(name)
  if (!('attempt' in guard)) {
    throw new RuntimeException(
      `The guard "${guard.name}" (driver "${guard.driver}") cannot sign users in: name a session guard`
    )
  }
  return guard as LoginGuard
}
