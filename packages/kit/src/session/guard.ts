import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'

import { AuthContext } from '#auth/auth_context'
import { InvalidSession } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { LoginGuard, LoginOptions, LoginOrigin, PendingLogin } from '#auth/guards/guard'
import { type Credentials, type UserId, isUserId } from '#auth/user_providers/user_provider'
import type { LoginStep, StepsOutcome } from '#auth/login_steps'
import { checkLogin, trustDevice, verifyPasswordOf } from '#auth/password_login'
import { recordSignIn } from '#auth/known_device'
import { Refusal } from '#auth/refusal'
import type { Users } from '#auth/users'
import {
  type Attempt,
  type WaitingLogin,
  findPendingLogin,
  forgetPendingLogin,
  keepPendingLogin,
} from '#session/pending_login'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'

declare module '@adonisjs/core/types' {
  interface EventsList {
    'auth:login': { ctx: HttpContext; guard: string; user: any }
    /** The credentials without the password. There may be no such user. */
    'auth:login_failed': { ctx: HttpContext; guard: string; credentials: Credentials }
    'auth:logout': { ctx: HttpContext; guard: string; user: any }
  }
}

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    session: SessionGuard<User>
  }
}

/** The request has no session of an active user of this guard. */
const noSession = (reason: string) =>
  new Refusal(() => new InvalidSession(undefined, { reason }), true)

const REFUSALS = {
  missing: noSession('session missing'),
  unknown: noSession('session unknown'),
  lapsed: noSession('session lapsed'),
  guest: noSession('session of a guest'),
  otherGuard: noSession('session of another guard'),
  userGone: noSession('user of the session gone'),
  userInactive: noSession('user of the session inactive'),
}

/** Recognises a user by the session cookie. */
export class SessionGuard<User = any> extends RequestGuard<User> implements LoginGuard<User> {
  declare [symbols.GUARD_KNOWN_EVENTS]: Pick<
    EventsList,
    'auth:login' | 'auth:login_failed' | 'auth:logout'
  >

  readonly driverName = 'session'
  readonly #ctx: HttpContext
  readonly #sessions: SessionService

  constructor(name: string, users: Users<User>, ctx: HttpContext, sessions: SessionService) {
    super(name, users)
    this.#ctx = ctx
    this.#sessions = sessions
  }

  async attempt(credentials: Credentials, options: LoginOptions = {}): Promise<boolean> {
    const login = await checkLogin(this.#sessions.manager, this.users, credentials, this.#ctx)
    if (!login) {
      return this.#fail(credentials)
    }
    const { user, steps } = login
    const username = String(credentials[this.users.usernameKey] ?? '')
    const methods = ['pwd', ...steps.methods]
    return this.#proceed({ ...options, methods, user, username }, steps)
  }

  async loginProven(
    user: User,
    { taken, remember, methods = [], origin }: LoginOptions & { taken: readonly string[] }
  ): Promise<boolean> {
    if (!(await this.users.isActive(user))) {
      throw new InvalidSession('This user cannot sign in.')
    }
    const steps = await this.#take(user, {}, taken)
    if (steps?.passed) {
      await this.#signIn(user, { remember, methods, origin })
      return true
    }
    const done = steps?.taken ?? [...taken]
    const waiting = { user, username: '', remember, methods, origin, taken: done }
    return this.#wait(waiting, steps?.missing)
  }

  async pendingLogin(): Promise<PendingLogin<User> | null> {
    const waiting = await this.#waiting()
    if (!waiting) {
      return null
    }
    const { user, taken, remember, methods, origin } = waiting
    const steps = await this.#take(user, {}, taken)
    return steps?.passed === false ? { user, remember, methods, origin, step: steps.missing } : null
  }

  async continueLogin(credentials: Credentials): Promise<boolean> {
    const waiting = await this.#waiting()
    if (!waiting) {
      throw new InvalidSession('There is no login to continue: begin with the password.')
    }
    const { user, taken, username } = waiting
    const steps = await this.#take(user, credentials, taken)
    if (!steps) {
      return this.#fail({ [this.users.usernameKey]: username })
    }
    return this.#proceed({ ...waiting, methods: [...waiting.methods, ...steps.methods] }, steps)
  }

  async login(userOrId: User | UserId, options: LoginOptions = {}): Promise<User> {
    const user = isUserId(userOrId) ? await this.users.find(userOrId) : userOrId
    if (!user || !(await this.users.isActive(user))) {
      throw new InvalidSession('This user cannot sign in.')
    }
    await this.#signIn(user, options)
    return user
  }

  async confirm(credentials: Credentials): Promise<boolean> {
    const { manager } = this.#sessions
    const user = await this.authenticate()
    const password = credentials[this.users.passwordKey]
    const isProven =
      typeof password === 'string'
        ? await verifyPasswordOf(manager, this.users, user, password, this.#ctx)
        : await manager.loginSteps.proves(user, this.users, credentials, this.#ctx)
    if (isProven) {
      await this.markConfirmed()
    }
    return isProven
  }

  async markConfirmed(): Promise<void> {
    await this.authenticate()
    await RequestSession.of(this.#ctx).confirm()
  }

  async logout(): Promise<void> {
    const live = RequestSession.liveOf(this.#ctx)
    if (live && live.record.guard !== this.name) {
      return
    }
    const outcome = await this.resolve()
    const user = outcome instanceof Refusal ? null : outcome.user
    await RequestSession.of(this.#ctx).invalidate()
    this.remember(null)
    if (user) {
      void this.#sessions.emitter.emit('auth:logout', { ctx: this.#ctx, guard: this.name, user })
    }
  }

  /**
   * Starts a session of the user.
   *
   * @param options.csrf whether the CSRF token is sent as a header. The browser client of `@adonisjs/auth` takes none. Default true.
   */
  override async authenticateAsClient(
    user: User | UserId,
    { csrf = true }: { csrf?: boolean } = {}
  ): Promise<AuthClientResponse> {
    const { config } = this.#sessions
    const { id, record } = await this.#sessions.start(
      {},
      { userId: isUserId(user) ? String(user) : this.users.identify(user), guard: this.name }
    )
    return {
      cookies: { [config.cookie]: id },
      ...(csrf && { headers: { [config.csrfHeader]: record.csrfToken } }),
    }
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const live = RequestSession.liveOf(this.#ctx)
    if (!live) {
      return REFUSALS[RequestSession.existing(this.#ctx)?.absence ?? 'missing']
    }
    if (live.record.userId === null) {
      return REFUSALS.guest
    }
    if (live.record.guard !== this.name) {
      return REFUSALS.otherGuard
    }
    const read = live.user as User | null | undefined
    const user = read === undefined ? await this.users.find(live.record.userId) : read
    if (!user) {
      return REFUSALS.userGone
    }
    return (await this.users.isActive(user)) ? this.#context(user) : REFUSALS.userInactive
  }

  #take(user: User, credentials: Credentials, taken: readonly string[]) {
    const { loginSteps } = this.#sessions.manager
    return loginSteps.take(user, this.users, credentials, this.#ctx, taken)
  }

  #proceed(attempt: Attempt<User>, steps: NonNullable<StepsOutcome>): Promise<boolean> {
    return steps.passed
      ? this.#complete(attempt, steps.taken)
      : this.#wait({ ...attempt, taken: steps.taken }, steps.missing)
  }

  async #signIn(user: User, options: LoginOptions) {
    await this.#startSession(user, options)
    await this.#announce(user)
  }

  /** Ends an attempt that has failed. Listeners get no secret. */
  #fail(credentials: Credentials): false {
    const { emitter, manager } = this.#sessions
    const secrets = [this.users.passwordKey, ...manager.loginSteps.credentialKeys]
    const hidden = Object.fromEntries(secrets.map((key) => [key, undefined]))
    void emitter.emit('auth:login_failed', {
      ctx: this.#ctx,
      guard: this.name,
      credentials: { ...credentials, ...hidden },
    })
    return false
  }

  async #complete(
    { user, username, ...options }: Attempt<User>,
    taken: readonly string[]
  ): Promise<boolean> {
    const credentials = { [this.users.usernameKey]: username }
    if (!(await this.#signInWithPassword(user, options))) {
      return this.#fail(credentials)
    }
    if (username !== '') {
      trustDevice(this.#sessions.manager, this.users, user, credentials, this.#ctx)
    }
    this.#sessions.manager.loginSteps.trustDevice(taken, user, this.users, this.#ctx)
    return true
  }

  /** Keeps an attempt whose next step is missing. The session gets a new id with every step. */
  async #wait(waiting: WaitingLogin<User>, missing?: LoginStep<User>): Promise<false> {
    const session = RequestSession.of(this.#ctx)
    await session.startOver()
    keepPendingLogin(session, this.name, this.users, waiting)
    this.remember(null)
    await missing?.begin?.(waiting.user, this.users, this.#ctx)
    return false
  }

  #waiting() {
    return findPendingLogin(RequestSession.existing(this.#ctx), this.name, this.users)
  }

  /** A password that is changed while it is verified opens no session: the change has ended those of that moment. */
  async #signInWithPassword(user: User, options: LoginOptions) {
    await this.#startSession(user, options)
    if (await this.users.hasNewPassword(user)) {
      await RequestSession.of(this.#ctx).invalidate()
      this.remember(null)
      return false
    }
    await this.#announce(user)
    return true
  }

  /** A login starts a new session under a new id, against session fixation. */
  async #startSession(user: User, options: LoginOptions) {
    const verification = this.#sessions.manager.feature('emailVerification')
    await verification?.assertMaySignIn(user, this.#ctx)
    const { methods, origin, ...term } = options
    await this.#assertTrusted(origin)
    const owner = { userId: this.users.identify(user), guard: this.name, methods, origin }
    const session = RequestSession.of(this.#ctx)
    forgetPendingLogin(session)
    await session.login(owner, term)
    this.remember(this.#context(user))
  }

  /** A provider may have gone while somebody signed in there, or took the steps after it. */
  async #assertTrusted(origin: LoginOrigin | undefined) {
    const social = origin && this.#sessions.manager.feature('social')
    if (social && !(await social.provider(origin.provider))) {
      throw new InvalidSession('The provider of this sign-in is not trusted any more.')
    }
  }

  async #announce(user: User) {
    await recordSignIn(this.#sessions.manager, this.users, user, this.#ctx)
    void this.#sessions.emitter.emit('auth:login', { ctx: this.#ctx, guard: this.name, user })
  }

  /** A session carries every scope: its user is present in person. */
  #context(user: User) {
    return new AuthContext<User>({ user, scopes: ['*'] })
  }
}

/** The `session` driver. */
export function sessionDriver(sessions: SessionService) {
  return {
    name: 'session',
    create:
      <User>({ name, users }: GuardOptions<User>) =>
      (ctx: HttpContext) =>
        new SessionGuard(name, users, ctx, sessions),
  } satisfies GuardDriver
}
