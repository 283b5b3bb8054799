import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext, Refusal, noSession } from '#auth/outcome'
import { InvalidSession } from '#auth/errors'
import type { GuardDriver, GuardSpec } from '#auth/guards/driver'
import { RequestGuard } from '#auth/guards/guard'
import type { Users } from '#auth/users'
import { assertRuntime } from '#config/checks'
import { wantsPage } from '#http/pages'

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    adonis_auth: AdonisAuthGuard<User>
  }
}

interface TheirGuard {
  readonly user?: unknown
  check(): Promise<boolean>
  login(user: unknown): Promise<unknown>
  logout(): Promise<void>
}

interface AdonisAuthSpec extends GuardSpec {
  /** Name of the session guard in `config/auth.ts` of `@adonisjs/auth`. */
  sessionGuard: string
  loginPage: string
}

/** The context of a request with `@adonisjs/auth` and `@adonisjs/session`. */
type TheirContext = Partial<Pick<HttpContext, 'session'>> & {
  auth?: { use(name: string): TheirGuard }
}

const theirs = (ctx: HttpContext) => ctx as unknown as TheirContext

/** Where a session keeps which page sent the person to sign in, and by which guard. */
const SENT_BY = 'adonis_auth_kit.sent_by'

/** Nobody is signed in (401). A browser is sent to the sign-in page, and back (`followIntendedUrl`). */
export class SignInRequired extends InvalidSession {
  constructor(readonly spec: AdonisAuthSpec) {
    super(undefined, { reason: 'session of @adonisjs/auth missing' })
  }

  override handle(error: this, ctx: HttpContext) {
    if (!wantsPage(ctx)) {
      return super.handle(error, ctx)
    }
    const { loginPage, sessionGuard: guard } = error.spec
    ctx.response.redirect().withIntendedUrl().toPath(loginPage)
    const { session } = theirs(ctx)
    session?.put(SENT_BY, { guard, url: session.getIntendedUrl() })
  }
}

/** Redirects a login to the page that asked for it, unless it has used the intended URL itself. */
export function followIntendedUrl(ctx: HttpContext): void {
  const { session, auth } = theirs(ctx)
  if (!session?.has(SENT_BY)) {
    return
  }
  const { guard, url } = session.pull(SENT_BY) as { guard: string; url: string | null }
  if (auth?.use(guard).user === undefined) {
    return session.put(SENT_BY, { guard, url })
  }
  const isRedirect = ctx.response.getHeader('location') !== undefined
  if (isRedirect && url !== null && session.getIntendedUrl() === url) {
    session.pullIntendedUrl()
    ctx.response.header('location', url)
  }
}

const INACTIVE = noSession('user of the session inactive')

/**
 * Recognises who is signed in by a session guard of `@adonisjs/auth`: `ctx.auth` is asked, and signs
 * in and out. Checking credentials is left to the application.
 */
export class AdonisAuthGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'adonis_auth'

  constructor(
    protected spec: AdonisAuthSpec,
    name: string,
    users: Users<User>,
    protected ctx: HttpContext
  ) {
    super(name, users)
  }

  /** Signs a user in there whose credentials the application has checked. */
  async login(user: User): Promise<void> {
    await this.#theirs().login(user)
    this.remember(new AuthContext({ user, scopes: ['*'] }))
  }

  async logout(): Promise<void> {
    await this.#theirs().logout()
    this.remember(null)
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const guard = this.#theirs()
    if (!(await guard.check())) {
      return new Refusal(() => new SignInRequired(this.spec), true)
    }
    const user = guard.user as User
    return (await this.users.isActive(user)) ? new AuthContext({ user, scopes: ['*'] }) : INACTIVE
  }

  #theirs(): TheirGuard {
    const { auth } = theirs(this.ctx)
    const missing = `The guard "${this.name}" needs ctx.auth of @adonisjs/auth: add its initialize_auth_middleware to the router middleware in start/kernel.ts`
    assertRuntime(auth, missing)
    return auth.use(this.spec.sessionGuard)
  }
}

export const adonisAuthDriver: GuardDriver = {
  name: 'adonis_auth',
  create: ({ name, spec, users }) => {
    return (ctx) => new AdonisAuthGuard(spec as AdonisAuthSpec, name, users, ctx)
  },
}

/** A guard that recognises users by a session guard of `@adonisjs/auth`. */
export function adonisAuthGuard<const Provider extends string>(spec: {
  provider: Provider
  sessionGuard: string
  loginPage: string
}) {
  return { driver: 'adonis_auth', ...spec } as const
}
