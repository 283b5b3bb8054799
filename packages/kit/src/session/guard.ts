import type { symbols } from '@adonisjs/auth'
import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'

import { type AuthContext, type Refusal, noSession } from '#auth/outcome'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { LoginGuard } from '#auth/guards/guard'
import type { Credentials, UserId } from '#auth/users'
import { verifyPasswordOf } from '#auth/password_login'
import { SessionLogin } from '#session/login'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'

const REFUSALS = {
  missing: noSession('session missing'),
  unknown: noSession('session unknown'),
  lapsed: noSession('session lapsed'),
  guest: noSession('session of a guest'),
  otherGuard: noSession('session of another guard'),
  userGone: noSession('user of the session gone'),
  userInactive: noSession('user of the session inactive'),
}

export class SessionGuard<User = any> extends SessionLogin<User> implements LoginGuard<User> {
  declare [symbols.GUARD_KNOWN_EVENTS]: Pick<
    EventsList,
    'auth:login' | 'auth:login_failed' | 'auth:logout'
  >

  readonly driverName = 'session'

  async confirm(credentials: Credentials): Promise<boolean> {
    const { manager } = this.sessions
    const user = await this.authenticate()
    const password = credentials?.[this.users.passwordKey]
    const isProven =
      typeof password === 'string'
        ? await verifyPasswordOf(manager, this.users, user, password, this.ctx)
        : await manager.loginSteps.proves(user, this.users, credentials, this.ctx)
    if (isProven) {
      await this.markConfirmed()
    }
    return isProven
  }

  async markConfirmed(): Promise<void> {
    await this.authenticate()
    await RequestSession.of(this.ctx).confirm()
  }

  async logout(): Promise<void> {
    const live = RequestSession.liveOf(this.ctx)
    if (live && live.record.guard !== this.name) {
      return
    }
    const { user } = await this.resolve()
    await RequestSession.of(this.ctx).invalidate()
    if (user) {
      void this.sessions.emitter.emit('auth:logout', { ctx: this.ctx, guard: this.name, user })
    }
  }

  /** @param options.csrf whether the CSRF token is sent as a header: not to the browser client of `@adonisjs/auth` */
  override async authenticateAsClient(
    user: User | UserId,
    { csrf = true }: { csrf?: boolean } = {}
  ) {
    const { config } = this.sessions
    const userId = await this.users.idOf(user)
    const { id, record } = await this.sessions.start({}, { userId, guard: this.name })
    return {
      cookies: { [config.cookie]: id },
      ...(csrf && { headers: { [config.csrfHeader]: record.csrfToken } }),
    }
  }

  /** A request reads its session and its user once: others may have ended or deactivated them since. */
  override async isStillValid(): Promise<boolean> {
    const { login } = RequestSession.existing(this.ctx)?.live?.record ?? {}
    const userId = this.user && this.users.identify(this.user)
    if (!userId || !(await this.users.findActive(userId))) {
      return false
    }
    const logins = login && (await this.sessions.liveLogins(userId, this.users))
    return !logins || logins.has(login.sid)
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const session = RequestSession.existing(this.ctx)
    const live = session?.live
    if (!live) {
      return REFUSALS[session?.absence ?? 'missing']
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
    return (await this.users.isActive(user)) ? this.contextOf(user) : REFUSALS.userInactive
  }
}

export function sessionDriver(sessions: SessionService) {
  return {
    name: 'session',
    create<User>({ name, users }: GuardOptions<User>) {
      return (ctx: HttpContext) => new SessionGuard(name, users, ctx, sessions)
    },
  } satisfies GuardDriver
}
