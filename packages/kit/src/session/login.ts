import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext } from '#auth/outcome'
import { InvalidSession } from '#auth/errors'
import { type LoginOptions, type PendingLogin, RequestGuard } from '#auth/guards/guard'
import { recordSignIn } from '#auth/known_device'
import type { StepsOutcome } from '#auth/login_steps'
import { checkLogin, trustDevice } from '#auth/password_login'
import type { Credentials, UserId, Users } from '#auth/users'
import { pendingOne } from '#http/pending'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'
import { assertOr } from '#process/assert_or'

declare module '@adonisjs/core/types' {
  interface EventsList {
    'auth:login': { ctx: HttpContext; guard: string; user: any }
    /** The credentials without the password. There may be no such user. */
    'auth:login_failed': { ctx: HttpContext; guard: string; credentials: Credentials }
    'auth:logout': { ctx: HttpContext; guard: string; user: any }
  }
}

/** Milliseconds: enough to find a phone, short enough for an unattended browser. */
const LIFETIME = 10 * 60 * 1000

/** A login of a user whose password was right. */
interface Attempt<User> extends LoginOptions {
  user: User
  /** The username that was given with the password; empty without one. */
  username: string
  methods: readonly string[]
  /** When a pending login ends, in epoch milliseconds. */
  expiresAt?: number
}

/** A pending login, as it is stored. */
interface Waiting extends Omit<Attempt<never>, 'user'> {
  guard: string
  userId: string
  taken: string[]
  /** Changes with the password, which ends the login. */
  stamp: string | null
  expiresAt: number
}

/** In a guest's session. No guard recognises a user by it. */
const logins = pendingOne<Waiting>('pending_login')

export abstract class SessionLogin<User> extends RequestGuard<User> {
  constructor(
    name: string,
    users: Users<User>,
    protected ctx: HttpContext,
    protected sessions: SessionService
  ) {
    super(name, users)
  }

  async attempt(credentials: Credentials, options: LoginOptions = {}): Promise<boolean> {
    const login = await checkLogin(this.sessions.manager, this.users, credentials, this.ctx)
    if (!login) {
      return this.#fail(credentials)
    }
    const { user, steps } = login
    const username = String(credentials[this.users.usernameKey] ?? '')
    return this.#proceed({ ...options, methods: ['pwd', ...steps.methods], user, username }, steps)
  }

  async loginProven(
    user: User,
    { taken, methods = [], ...options }: LoginOptions & { taken: readonly string[] }
  ): Promise<boolean> {
    await this.users.resolve(user)
    assertOr(await this.users.isActive(user), InvalidSession, 'This user cannot sign in.')
    const steps = await this.#take(user, {}, taken)
    if (!steps?.passed) {
      return this.#wait({ ...options, user, username: '', methods }, steps)
    }
    const isSignedIn = await this.#signIn(user, { ...options, methods })
    assertOr(isSignedIn, InvalidSession, 'The password has been changed during the sign-in.')
    return true
  }

  async pendingLogin(): Promise<PendingLogin<User> | null> {
    const waiting = await this.#waiting()
    if (!waiting) {
      return null
    }
    const { user, remember, methods, origin } = waiting.attempt
    const steps = await this.#take(user, {}, waiting.taken)
    return steps?.passed === false ? { user, remember, methods, origin, step: steps.missing } : null
  }

  async continueLogin(credentials: Credentials): Promise<boolean> {
    const waiting = await this.#waiting()
    assertOr(waiting, InvalidSession, 'There is no login to continue: begin with the password.')
    const { attempt, taken } = waiting
    const steps = await this.#take(attempt.user, credentials, taken)
    return steps
      ? this.#proceed({ ...attempt, methods: [...attempt.methods, ...steps.methods] }, steps)
      : this.#fail({ [this.users.usernameKey]: attempt.username })
  }

  async login(userOrId: User | UserId, options: LoginOptions = {}): Promise<User> {
    const user = await this.users.resolve(userOrId)
    assertOr(user && (await this.users.isActive(user)), InvalidSession, 'This user cannot sign in.')
    await this.#start(user, options)
    await this.#announce(user)
    return user
  }

  #take(user: User, credentials: Credentials, taken: readonly string[]) {
    const { loginSteps } = this.sessions.manager
    return loginSteps.take(user, this.users, credentials, this.ctx, taken)
  }

  #proceed(attempt: Attempt<User>, steps: NonNullable<StepsOutcome>): Promise<boolean> {
    return steps.passed ? this.#complete(attempt, steps.taken) : this.#wait(attempt, steps)
  }

  /** Ends an attempt that has failed. Listeners get no secret. */
  #fail(credentials: Credentials): false {
    const { emitter, manager } = this.sessions
    const secrets = [this.users.passwordKey, ...manager.loginSteps.credentialKeys]
    const hidden = Object.fromEntries(secrets.map((key) => [key, undefined]))
    const told = { ...credentials, ...hidden }
    void emitter.emit('auth:login_failed', { ctx: this.ctx, guard: this.name, credentials: told })
    return false
  }

  /** If the password is changed during the login, the login fails: the change ends all sessions. */
  async #signIn(user: User, options: LoginOptions): Promise<boolean> {
    await this.#start(user, options)
    if (await this.users.hasNewPassword(user)) {
      await RequestSession.of(this.ctx).invalidate()
      return false
    }
    await this.#announce(user)
    return true
  }

  async #complete({ user, username, ...options }: Attempt<User>, taken: readonly string[]) {
    const credentials = { [this.users.usernameKey]: username }
    if (!(await this.#signIn(user, options))) {
      return this.#fail(credentials)
    }
    if (username !== '') {
      trustDevice(this.sessions.manager, this.users, user, credentials, this.ctx)
    }
    this.sessions.manager.loginSteps.trustDevice(taken, user, this.users, this.ctx)
    return true
  }

  /** Stores a login whose next step is missing. The session gets a new id with every step. */
  async #wait({ user, ...attempt }: Attempt<User>, steps: StepsOutcome): Promise<false> {
    const waiting: Waiting = {
      ...attempt,
      isProven: undefined,
      guard: this.name,
      userId: this.users.identify(user),
      taken: steps?.taken ?? [],
      stamp: this.users.passwordStamp(user),
      expiresAt: attempt.expiresAt ?? Date.now() + LIFETIME,
    }
    await RequestSession.of(this.ctx).startOver(attempt.origin)
    logins.keep(this.ctx, waiting)
    if (steps?.passed === false) {
      await steps.missing.begin?.(user, this.users, this.ctx)
    }
    return false
  }

  /** The pending login of this guard. Null if it has expired, or its user is gone, inactive or has a new password. */
  async #waiting(): Promise<{ attempt: Attempt<User>; taken: string[] } | null> {
    const waiting = logins.find(this.ctx)
    if (waiting?.guard !== this.name) {
      return null
    }
    const { guard, userId, taken, stamp, ...attempt } = waiting
    const user = await this.users.findActive(userId)
    return user && this.users.passwordStamp(user) === stamp
      ? { attempt: { ...attempt, user }, taken }
      : null
  }

  /** A login starts a new session under a new id, against session fixation. */
  async #start(user: User, { methods, origin, isProven, ...term }: LoginOptions) {
    const { manager } = this.sessions
    await manager.feature('emailVerification')?.assertMaySignIn(user, this.ctx)
    const owner = { userId: this.users.identify(user), guard: this.name, methods, origin }
    logins.forget(this.ctx)
    await RequestSession.of(this.ctx).login(owner, term)
    /* Asked when the session is there: provider and identity may be removed until then, and that ends what is there. */
    const identities = origin && manager.feature('social')?.identities
    const isTrusted = identities && (await identities.provider(origin.provider))
    const identity = isTrusted && (await identities.find(origin, this.users))
    const isRemoved = identities && identity?.userId !== owner.userId
    if (isRemoved || (isProven && !(await isProven()))) {
      await RequestSession.of(this.ctx).invalidate()
      throw new InvalidSession('This way to sign in has been removed meanwhile.')
    }
    this.remember(this.contextOf(user))
  }

  async #announce(user: User) {
    await recordSignIn(this.sessions.manager, this.users, user, this.ctx)
    void this.sessions.emitter.emit('auth:login', { ctx: this.ctx, guard: this.name, user })
  }

  /** A session carries every scope: its user is present in person. */
  protected contextOf(user: User): AuthContext<User> {
    /* V8 makes one that is assigned at once in old space: minor collections would keep the request. */
    const forget = () => this.remember(null)
    RequestSession.of(this.ctx).onEnd = forget
    return new AuthContext<User>({ user, scopes: ['*'] })
  }
}
