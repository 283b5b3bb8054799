import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext } from '#auth/auth_context'
import { InvalidSession } from '#auth/errors'
import type { GuardDriver, GuardOptions, GuardSpec } from '#auth/guards/driver'
import { RequestGuard } from '#auth/guards/request_guard'
import { Refusal } from '#auth/refusal'
import type { Users } from '#auth/users'
import { wantsPage } from '#support/wants_page'

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    adonis_auth: AdonisAuthGuard<User>
  }
}

/** What this guard needs of a session guard of `@adonisjs/auth`. */
interface TheirGuard {
  readonly user?: unknown
  check(): Promise<boolean>
  logout(): Promise<void>
}

interface AdonisAuthSpec extends GuardSpec {
  /** Name of the session guard in `config/auth.ts` of `@adonisjs/auth`. */
  sessionGuard: string
  /** Path of the page where people sign in. */
  loginPage: string
}

/** Nobody is signed in (401). A browser is sent to the sign-in page, which sends it back (`toIntended`). */
class SignInRequired extends InvalidSession {
  constructor(readonly loginPage: string) {
    super(undefined, { reason: 'session of @adonisjs/auth missing' })
  }

  override handle(error: this, ctx: HttpContext) {
    if (!wantsPage(ctx)) {
      return super.handle(error, ctx)
    }
    ctx.response.redirect().withIntendedUrl().toPath(error.loginPage)
  }
}

const INACTIVE = new Refusal(
  () => new InvalidSession(undefined, { reason: 'user of the session inactive' }),
  true
)

/**
 * Recognises who is signed in by a session guard of `@adonisjs/auth`, in an application on that
 * package: its `ctx.auth` is asked, and signs out. Signing in is left to that application.
 */
export class AdonisAuthGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'adonis_auth'
  readonly #ctx: HttpContext
  readonly #spec: AdonisAuthSpec

  constructor(spec: AdonisAuthSpec, name: string, users: Users<User>, ctx: HttpContext) {
    super(name, users)
    this.#spec = spec
    this.#ctx = ctx
  }

  async logout(): Promise<void> {
    await this.#theirs().logout()
    this.remember(null)
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const guard = this.#theirs()
    if (!(await guard.check())) {
      return new Refusal(() => new SignInRequired(this.#spec.loginPage), true)
    }
    const user = guard.user as User
    return (await this.users.isActive(user)) ? new AuthContext({ user, scopes: ['*'] }) : INACTIVE
  }

  #theirs(): TheirGuard {
    const { auth } = this.#ctx as unknown as { auth?: { use(name: string): TheirGuard } }
    if (!auth) {
      throw new RuntimeException(
        `The guard "${this.name}" needs ctx.auth of @adonisjs/auth: add its initialize_auth_middleware to the router middleware in start/kernel.ts`
      )
    }
    return auth.use(this.#spec.sessionGuard)
  }
}

/** The `adonis_auth` driver. */
export const adonisAuthDriver: GuardDriver = {
  name: 'adonis_auth',
  create:
    <User>({ name, spec, users }: GuardOptions<User>) =>
    (ctx: HttpContext) =>
      new AdonisAuthGuard(spec as AdonisAuthSpec, name, users, ctx),
}

/** A guard that recognises users by a session guard of `@adonisjs/auth`. */
export function adonisAuthGuard<const Provider extends string>(spec: {
  provider: Provider
  sessionGuard: string
  loginPage: string
}) {
  return { driver: 'adonis_auth', ...spec } as const
}
