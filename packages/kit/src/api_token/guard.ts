import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext, NO_TOKEN, Refusal } from '#auth/outcome'
import { type Guard, RequestGuard } from '#auth/guards/guard'
import type { UserId, Users } from '#auth/users'
import type { ApiTokenService } from '#api_token/api_token_service'
import { type ApiTokenDetails, describeToken } from '#api_token/token'
import type { GuardName } from '#auth/guard_types'
import type { AuthManager } from '#auth/manager'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { ResolvedApiTokenConfig } from '#api_token/define_config'
import { assertArgument } from '#config/checks'

const BEARER = /^bearer +/i

export class ApiTokenGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'token'
  #token: ApiTokenDetails | null = null

  /**
   * @param header reads what `ApiTokenConfig.header` names: a property that held it would be shown by `console.log`
   * @param session SPA mode: asked first, and every time, because a login or logout changes its
   * answer within the request
   */
  constructor(
    name: string,
    users: Users<User>,
    protected service: ApiTokenService,
    protected header: () => string | undefined,
    protected session?: Guard<User>
  ) {
    super(name, users)
  }

  override get context(): AuthContext<User> | null {
    return this.session?.context ?? super.context
  }

  override get authenticationAttempted(): boolean {
    return this.session?.authenticationAttempted || super.authenticationAttempted
  }

  override resolve(): Promise<AuthContext<User> | Refusal> {
    const bySession = this.session?.resolve()
    return bySession
      ? bySession.then((found) => (found instanceof Refusal ? super.resolve() : found))
      : super.resolve()
  }

  override async isStillValid(): Promise<boolean> {
    const bySession = this.session?.isAuthenticated ? this.session : undefined
    return (await bySession?.isStillValid?.()) ?? super.isStillValid()
  }

  /** The token that authenticated this request, for its owner to revoke; null before. */
  get token(): ApiTokenDetails | null {
    return this.#token
  }

  /** @param abilities what the token may do; everything when absent */
  override async authenticateAsClient(user: User | UserId, abilities?: string[]) {
    const { plainText } = await this.service.create(this.users, user, { abilities })
    return { headers: { [this.service.config.header]: `Bearer ${plainText}` } }
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const plainText = this.#plainText()
    if (plainText === null) {
      return NO_TOKEN
    }
    const verified = await this.service.verify(plainText, this.users)
    if (verified instanceof Refusal) {
      return verified
    }
    const { token, user } = verified
    this.#token = describeToken(token)
    return new AuthContext<User>({ user, scopes: token.abilities, boundTo: token.context })
  }

  /** The token in the header, or null. A custom header may omit the `Bearer` prefix. */
  #plainText(): string | null {
    const value = this.header()?.trim()
    if (!value) {
      return null
    }
    if (BEARER.test(value)) {
      return value.replace(BEARER, '')
    }
    return this.service.config.header.toLowerCase() === 'authorization' ? null : value
  }
}

/** @param guards of the application: SPA mode asks a session guard */
export function tokenDriver(
  service: ApiTokenService,
  guards?: Pick<AuthManager, 'guardDriver' | 'usersOf'>
) {
  const { header, statefulOrigins, sessionGuard } = service.config
  return {
    name: 'token',
    create<User>({ name, users }: GuardOptions<User>): (ctx: HttpContext) => ApiTokenGuard<User> {
      /* Ignores sessions of another user provider: equal ids may be different people. */
      const asksSession =
        statefulOrigins.length > 0 &&
        guards?.guardDriver(sessionGuard) === 'session' &&
        guards.usersOf(sessionGuard) === users
      return (ctx) => {
        const token = () => ctx.request.header(header)
        const session = asksSession ? ctx.authenticator.use(sessionGuard as GuardName) : undefined
        return new ApiTokenGuard<User>(name, users, service, token, session as Guard | undefined)
      }
    },
  } satisfies GuardDriver
}

/**
 * @throws {FeatureNotRegistered} for SPA mode without AuthSessionProvider
 * @throws {InvalidArgumentsException} when `sessionGuard` names no session guard
 */
export function checkSpaMode(config: ResolvedApiTokenConfig, manager: AuthManager): void {
  if (!config.statefulOrigins.length) {
    return
  }
  manager.driver('session', 'SPA mode ("statefulOrigins" in config/api_token.ts)')
  const noSession = `ApiTokenConfig: "sessionGuard" is "${config.sessionGuard}", which is no session guard in config/auth.ts`
  assertArgument(manager.guardDriver(config.sessionGuard) === 'session', noSession)
}
