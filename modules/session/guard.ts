import type { HttpContext } from '@adonisjs/core/http'
import type { EmitterService } from '@adonisjs/core/types'

import { AuthContext } from '#auth/auth_context'
import { InvalidSession } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { AuthManager } from '#auth/manager'
import type { GuardDriver } from '#auth/guards/driver'
import type { LoginGuard } from '#auth/guards/guard'
import type { Credentials, UserId } from '#auth/user_providers/user_provider'
import { trustDevice, verifyLogin } from '#auth/password_login'
import type { Users } from '#auth/users'
import { RequestSession } from '#session/request_session'

declare module '@adonisjs/core/types' {
  interface EventsList {
    'auth:login': { ctx: HttpContext; guard: string; user: any }
    /** The credentials come without the password. They may name nobody. */
    'auth:login_failed': { ctx: HttpContext; guard: string; credentials: Credentials }
    'auth:logout': { ctx: HttpContext; guard: string; user: any }
  }
}

/** Recognises a user by the session cookie (spec 1, Authentication 2). */
export class SessionGuard<User = any> extends RequestGuard<User> implements LoginGuard<User> {
  readonly driver = 'session'
  readonly #ctx: HttpContext
  readonly #manager: AuthManager
  readonly #emitter: EmitterService

  constructor(
    name: string,
    users: Users<User>,
    ctx: HttpContext,
    manager: AuthManager,
    emitter: EmitterService
  ) {
    super(name, users)
    this.#ctx = ctx
    this.#manager = manager
    this.#emitter = emitter
  }

  async attempt(credentials: Credentials): Promise<boolean> {
    const user = await verifyLogin(this.#manager, this.users, credentials, this.#ctx)
    if (user && (await this.#signInWithPassword(user))) {
      trustDevice(this.#manager, this.users, credentials, this.#ctx)
      return true
    }
    void this.#emitter.emit('auth:login_failed', {
      ctx: this.#ctx,
      guard: this.name,
      credentials: { ...credentials, [this.users.passwordKey]: undefined },
    })
    return false
  }

  async login(userOrId: User | UserId): Promise<User> {
    const user =
      typeof userOrId === 'string' || typeof userOrId === 'number'
        ? await this.users.find(userOrId)
        : (userOrId as User)
    if (!user || !(await this.users.isActive(user))) {
      throw new InvalidSession('This user cannot sign in.')
    }
    await this.#signIn(user)
    return user
  }

  async logout(): Promise<void> {
    const session = RequestSession.of(this.#ctx)
    if (session.live && session.live.record.guard !== this.name) {
      return
    }
    const user = await this.authenticate().then(
      (context) => context.user,
      () => null
    )
    await session.invalidate()
    this.remember(null)
    if (user) {
      void this.#emitter.emit('auth:logout', { ctx: this.#ctx, guard: this.name, user })
    }
  }

  protected async identify(): Promise<AuthContext<User>> {
    const { live } = RequestSession.of(this.#ctx)
    if (!live || live.record.guard !== this.name || live.record.userId === null) {
      throw new InvalidSession()
    }
    const user =
      live.user === undefined
        ? await this.users.find(live.record.userId)
        : (live.user as User | null)
    if (!user || !(await this.users.isActive(user))) {
      throw new InvalidSession()
    }
    return this.#context(user)
  }

  async #signIn(user: User) {
    await this.#startSession(user)
    this.#announce(user)
  }

  /**
   * A password that is changed while it is being verified must not open a
   * session: the change has ended all sessions that there were, and looks for
   * no more.
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

  async #startSession(user: User) {
    await RequestSession.of(this.#ctx).login({
      userId: this.users.identify(user),
      guard: this.name,
    })
    this.remember(this.#context(user))
  }

  #announce(user: User) {
    void this.#emitter.emit('auth:login', { ctx: this.#ctx, guard: this.name, user })
  }

  /** A session is its user in person, so it carries every scope. */
  #context(user: User) {
    return new AuthContext<User>({ user, scopes: ['*'] })
  }
}

/** The `session` driver. */
export function sessionDriver(emitter: EmitterService): GuardDriver {
  return {
    name: 'session',
    create:
      ({ name, users, manager }) =>
      (ctx) =>
        new SessionGuard(name, users, ctx, manager, emitter),
  }
}
