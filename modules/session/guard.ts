import type { symbols } from '@adonisjs/auth'
import type { AuthClientResponse } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'

import { AuthContext } from '#auth/auth_context'
import { InvalidSession } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { LoginGuard } from '#auth/guards/guard'
import { type Credentials, type UserId, isUserId } from '#auth/user_providers/user_provider'
import { trustDevice, verifyLogin } from '#auth/password_login'
import { Refusal } from '#auth/refusal'
import type { Users } from '#auth/users'
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

const ABSENT = {
  missing: noSession('session missing'),
  unknown: noSession('session unknown'),
  lapsed: noSession('session lapsed'),
}
const GUEST = noSession('session of a guest')
const OTHER_GUARD = noSession('session of another guard')
const USER_GONE = noSession('user of the session gone')
const USER_INACTIVE = noSession('user of the session inactive')

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

  async attempt(credentials: Credentials): Promise<boolean> {
    const user = await verifyLogin(this.#sessions.manager, this.users, credentials, this.#ctx)
    if (user && (await this.#signInWithPassword(user))) {
      trustDevice(this.#sessions.manager, this.users, credentials, this.#ctx)
      return true
    }
    void this.#sessions.emitter.emit('auth:login_failed', {
      ctx: this.#ctx,
      guard: this.name,
      credentials: { ...credentials, [this.users.passwordKey]: undefined },
    })
    return false
  }

  async login(userOrId: User | UserId): Promise<User> {
    const user = isUserId(userOrId) ? await this.users.find(userOrId) : userOrId
    if (!user || !(await this.users.isActive(user))) {
      throw new InvalidSession('This user cannot sign in.')
    }
    await this.#signIn(user)
    return user
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
   * @param options.csrf whether to send the CSRF token as a header. A browser sends its own: the browser client of
   * `@adonisjs/auth` takes no headers, and needs `false`. Default true.
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
      return ABSENT[RequestSession.existing(this.#ctx)?.absence ?? 'missing']
    }
    if (live.record.userId === null) {
      return GUEST
    }
    if (live.record.guard !== this.name) {
      return OTHER_GUARD
    }
    const user =
      live.user === undefined
        ? await this.users.find(live.record.userId)
        : (live.user as User | null)
    if (!user) {
      return USER_GONE
    }
    return (await this.users.isActive(user)) ? this.#context(user) : USER_INACTIVE
  }

  async #signIn(user: User) {
    await this.#startSession(user)
    this.#announce(user)
  }

  /**
   * A password that is changed while it is being verified must not open a
   * session: the change has ended all sessions of that moment, and this one
   * would survive it.
   */
  async #signInWithPassword(user: User) {
    await this.#startSession(user)
    if (await this.users.hasNewPassword(user)) {
      await RequestSession.of(this.#ctx).invalidate()
      this.remember(null)
      return false
    }
    this.#announce(user)
    return true
  }

  /** A login starts a new session under a new id, against session fixation. */
  async #startSession(user: User) {
    await RequestSession.of(this.#ctx).login({
      userId: this.users.identify(user),
      guard: this.name,
    })
    this.remember(this.#context(user))
  }

  #announce(user: User) {
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
