import type { HttpContext } from '@adonisjs/core/http'

import { LoginStepRequired } from '#auth/errors'
import { type Features, attempt } from '#auth/features'
import type { StepsOutcome } from '#auth/login_steps'
import { type Credentials, type Users, isUserId } from '#auth/users'

const ACTION = 'failedLogins'

type LoginRules = Pick<Features, 'feature' | 'loginSteps'>

/**
 * The active user whose username and password match the credentials, and how far these lead through
 * the steps after the password; null when the password or a step is wrong. Every check of a username
 * and password passes here, so that failures count against the username and the caller's address.
 * @throws {ProviderRequired} for an address whose organisation forbids passwords
 * @throws {Throttled} when too many attempts have failed
 */
export async function checkLogin<User>(
  features: LoginRules,
  users: Users<User>,
  given: Credentials | null | undefined,
  ctx: HttpContext
): Promise<{ user: User; steps: NonNullable<StepsOutcome> } | null> {
  /* Those of a member that the request lacks, `Auth.attempt(request.input('login'))`, are wrong ones. */
  const credentials = given ?? {}
  await features.feature('social')?.assertPasswordWorks(ctx, credentials[users.usernameKey])
  const verify = () => users.verify(credentials)
  const stamps = () => users.passwordStampsOf(credentials)
  const subject = subjectOf(users, credentials)
  const user = await attempt(features, ACTION, subject, ctx, verify, stamps)
  const steps = user && (await features.loginSteps.take(user, users, credentials, ctx))
  return user && steps && { user, steps }
}

/**
 * The active user with these credentials, those of further login steps among them, or null.
 * @throws {LoginStepRequired} when the password is right and a step after it is missing
 * @throws {Throttled} when too many attempts have failed
 */
export async function verifyLogin<User>(
  features: LoginRules,
  users: Users<User>,
  credentials: Credentials,
  ctx: HttpContext
): Promise<User | null> {
  const login = await checkLogin(features, users, credentials, ctx)
  if (login && !login.steps.passed) {
    throw new LoginStepRequired(login.steps.missing.name)
  }
  return login && login.user
}

/** Whether a password is a signed-in user's. @throws {Throttled} when too many attempts have failed */
export async function verifyPasswordOf<User>(
  features: Pick<Features, 'feature'>,
  users: Users<User>,
  user: User,
  password: unknown,
  ctx: HttpContext
): Promise<boolean> {
  const verify = async () => ((await users.hasPassword(user, password)) ? user : null)
  const subject = subjectOf(users, user as Credentials)
  const stamps = () => users.passwordStamps(user)
  return (await attempt(features, ACTION, subject, ctx, verify, stamps)) !== null
}

/** Remembers, until the password changes, that the caller's device has signed in with this username. */
export function trustDevice<User>(
  features: Pick<Features, 'feature'>,
  users: Users<User>,
  user: User,
  credentials: Credentials,
  ctx: HttpContext
): void {
  const subject = subjectOf(users, credentials)
  features.feature('throttle')?.trustDevice(ACTION, subject, ctx, users.passwordStamp(user))
}

/** Equal usernames of two user providers are different people. */
function subjectOf(users: Users, credentials: Credentials) {
  const username = credentials[users.usernameKey]
  return `${users.name}:${isUserId(username) ? String(username).toLowerCase() : ''}`
}
