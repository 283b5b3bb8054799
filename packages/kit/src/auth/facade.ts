import { assertArgument, assertRuntime } from '#config/checks'
import { currentRequest } from '#http/current_request'
import type { DefaultGuardName, GuardName, LoginGuardName, UserOf } from '#auth/guard_types'
import type { Guard, LoginGuard, LoginOptions, PendingLogin } from '#auth/guards/guard'
import type { Credentials, UserId } from '#auth/users'

/**
 * Authentication of the current request, from anywhere inside it; outside of one every method throws
 * a RuntimeException. Naming a guard never changes which guard has authenticated the request.
 */
export class Auth {
  /**
   * Checks the credentials and starts a session; false on any failure, and when the user has more to
   * show, e.g. a second factor: `Auth.pendingLogin()` tells the step, `Auth.continueLogin()` takes it.
   * @param options the name of a guard, or how to sign in: `{ remember: true, guard: 'web' }`
   * @throws {Throttled} when too many attempts have failed
   */
  static async attempt(credentials: Credentials, options?: GuardOrOptions) {
    const { guard, ...rest } = readLoginOptions(options)
    return loginGuard(guard).attempt(credentials, rest)
  }

  /**
   * Signs in a user who has proved who they are without a password; false while a step is missing.
   * @param options.taken names of the login steps that the proof stands for
   * @throws {InvalidSession} when the user is inactive
   */
  static async loginProven<Name extends LoginGuardName = DefaultLoginGuard>(
    user: UserOf<Name>,
    { guard, ...options }: FacadeLoginOptions<Name> & { taken: readonly string[] }
  ): Promise<boolean> {
    return loginGuard(guard).loginProven(user, options)
  }

  /** The login of this session that waits for its next step; null when there is none. */
  static async pendingLogin<Name extends LoginGuardName = DefaultLoginGuard>(
    guard?: Name
  ): Promise<PendingLogin<UserOf<Name>> | null> {
    return loginGuard(guard).pendingLogin()
  }

  /**
   * Takes the next step of the pending login: `Auth.continueLogin({ two_factor_code })`. False for
   * wrong credentials, and while another step is missing.
   * @throws {InvalidSession} when there is no pending login, or not any more
   * @throws {Throttled} when too many attempts have failed
   */
  static async continueLogin(credentials: Credentials, guard?: LoginGuardName): Promise<boolean> {
    return loginGuard(guard).continueLogin(credentials)
  }

  /**
   * Starts a session for a user and gives it a new id, without asking for a second factor.
   * @throws {InvalidSession} when there is no such user or it is inactive
   */
  static async login<Name extends LoginGuardName = DefaultLoginGuard>(
    userOrId: UserOf<Name> | UserId,
    options?: GuardOrOptions<Name>
  ): Promise<UserOf<Name>> {
    const { guard, ...rest } = readLoginOptions(options)
    return loginGuard(guard).login(userOrId, rest)
  }

  /**
   * Checks once more who the signed-in user is: `Auth.confirm({ password })`, or a code of a login
   * step. If it is right, `middleware.confirmed()` lets this session pass for a while.
   * @throws {Unauthenticated} when nobody is signed in
   * @throws {Throttled} when too many attempts have failed
   */
  static async confirm(credentials: Credentials, guard?: LoginGuardName): Promise<boolean> {
    return loginGuard(guard).confirm(credentials)
  }

  /** Notes a proof that `confirm` does not know. @throws {Unauthenticated} when nobody is signed in */
  static async markConfirmed(guard?: LoginGuardName): Promise<void> {
    return loginGuard(guard).markConfirmed()
  }

  static async logout(guard?: LoginGuardName): Promise<void> {
    return loginGuard(guard).logout()
  }

  /**
   * The user with these credentials, without a login; null when they are not valid. Those of login
   * steps belong to them, e.g. `two_factor_code`. Failures count like those of `attempt`.
   * @throws {LoginStepRequired} when the password is right and such a code is missing
   * @throws {Throttled} when too many attempts have failed
   */
  static async validate<Name extends GuardName = DefaultGuardName>(
    credentials: Credentials,
    guard?: Name
  ): Promise<UserOf<Name> | null> {
    return currentRequest('Auth').authenticator.validate(credentials, guard)
  }

  /** The current user; null when the guard recognises none, and when there is no such guard. */
  static async user<Name extends GuardName = DefaultGuardName>(
    guard?: Name
  ): Promise<UserOf<Name> | null> {
    const context = await currentRequest('Auth').authenticator.peek(guard)
    return context?.user ?? null
  }

  static async id(guard?: GuardName): Promise<UserId | null> {
    const user = await Auth.user(guard)
    return user ? (Auth.guard(guard) as Guard).users.provider.getIdentifier(user) : null
  }

  static async check(guard?: GuardName): Promise<boolean> {
    return (await Auth.user(guard)) !== null
  }

  /** A guard of this request; the default guard when none is named. @throws {RuntimeException} when there is none */
  static guard<Name extends GuardName = DefaultGuardName>(name?: Name) {
    return currentRequest('Auth').authenticator.use(name)
  }
}

/** Alias of `Auth`: the specification names a sync and an async facade, and Node.js needs one. */
export const AsyncAuth = Auth

export type FacadeLoginOptions<Name extends LoginGuardName = LoginGuardName> = LoginOptions & {
  guard?: Name
}

/** Null is the default guard, as everywhere else. */
type GuardOrOptions<Name extends LoginGuardName = LoginGuardName> =
  Name | FacadeLoginOptions<Name> | null
type DefaultLoginGuard = Extract<DefaultGuardName, LoginGuardName>

function readLoginOptions(options?: GuardOrOptions): FacadeLoginOptions {
  const wrong = 'A login takes the name of a guard, or options as an object: { remember: true }'
  assertArgument(['string', 'object', 'undefined'].includes(typeof options), wrong)
  return typeof options === 'string' ? { guard: options } : (options ?? {})
}

function loginGuard(name?: GuardName): LoginGuard {
  const guard: Guard = Auth.guard(name)
  const wrong = `The guard "${guard.name}" (driver "${guard.driverName}") cannot sign users in: name a session guard`
  assertRuntime('attempt' in guard, wrong)
  return guard as LoginGuard
}
