import { RuntimeException } from '@adonisjs/core/exceptions'

import { currentRequest } from '#support/current_request'
import type {
  DefaultGuardName,
  GuardName,
  GuardNamed,
  LoginGuardName,
  UserOf,
} from '#auth/authenticators'
import type { Guard, LoginGuard } from '#auth/guards/guard'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'

/**
 * Authentication of the current request, from anywhere inside it. Every method
 * throws a RuntimeException outside a request. Asking a guard by its name never
 * changes which guard has authenticated the request.
 */
export class Auth {
  /**
   * Checks the credentials and starts a session; false on any failure.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  static async attempt(credentials: Credentials, guard?: LoginGuardName): Promise<boolean> {
    return loginGuard(guard).attempt(credentials)
  }

  /**
   * Starts a session for a user and gives it a new id.
   *
   * @throws {InvalidSession} when there is no such user or it is inactive
   */
  static async login<Name extends LoginGuardName = DefaultLoginGuard>(
    userOrId: UserOf<Name> | UserId,
    guard?: Name
  ): Promise<UserOf<Name>> {
    return loginGuard(guard).login(userOrId)
  }

  /** Ends the session. */
  static async logout(guard?: LoginGuardName): Promise<void> {
    return loginGuard(guard).logout()
  }

  /**
   * The user with these credentials, without a login; null when they are not
   * valid. Failures count like those of `attempt`.
   *
   * @throws {Throttled} when too many attempts have failed
   */
  static async validate<Name extends GuardName = DefaultGuardName>(
    credentials: Credentials,
    guard?: Name
  ): Promise<UserOf<Name> | null> {
    return currentRequest('Auth').auth.validate(credentials, guard)
  }

  /** The current user; null when the guard recognises none, and when there is no such guard. */
  static async user<Name extends GuardName = DefaultGuardName>(
    guard?: Name
  ): Promise<UserOf<Name> | null> {
    const context = await currentRequest('Auth').auth.peek(guard)
    return context?.user ?? null
  }

  /** The current user's id, or null. */
  static async id(guard?: GuardName): Promise<UserId | null> {
    const user = await Auth.user(guard)
    return user ? use(guard).users.provider.getIdentifier(user) : null
  }

  /** Whether a user is authenticated. */
  static async check(guard?: GuardName): Promise<boolean> {
    return (await Auth.user(guard)) !== null
  }

  /**
   * A guard of this request; the default guard when none is named.
   *
   * @throws {RuntimeException} when no guard has this name
   */
  static guard<Name extends GuardName = DefaultGuardName>(name?: Name): GuardNamed<Name> {
    return currentRequest('Auth').auth.use(name)
  }
}

/** Alias of `Auth`: the specification names a sync and an async facade, and Node.js needs one. */
export const AsyncAuth = Auth

type DefaultLoginGuard = Extract<DefaultGuardName, LoginGuardName>

function use(name?: GuardName): Guard {
  return Auth.guard(name) as Guard
}

function loginGuard(name?: GuardName): LoginGuard {
  const guard = use(name)
  if (!('attempt' in guard)) {
    throw new RuntimeException(
      `The guard "${guard.name}" (driver "${guard.driverName}") cannot sign users in: name a session guard`
    )
  }
  return guard as LoginGuard
}
