import type { AuthContext } from '#auth/auth_context'
import type { Guard } from '#auth/guards/guard'
import { Refusal } from '#auth/refusal'
import type { Users } from '#auth/users'
import type { ApiTokenService } from '#api_token/api_token_service'
import { ApiTokenGuard } from '#api_token/guard'

/**
 * The token guard in SPA mode: the session cookie first, then the token header.
 * The session guard is asked every time, because a login or logout changes its
 * answer within the request.
 */
export class SpaTokenGuard<User = any> extends ApiTokenGuard<User> {
  readonly #session: Guard<User>

  constructor(
    name: string,
    users: Users<User>,
    service: ApiTokenService,
    header: string | undefined,
    session: Guard<User>
  ) {
    super(name, users, service, header)
    this.#session = session
  }

  override get context(): AuthContext<User> | null {
    return this.#session.context ?? super.context
  }

  override get authenticationAttempted(): boolean {
    return this.#session.authenticationAttempted || super.authenticationAttempted
  }

  override async resolve(): Promise<AuthContext<User> | Refusal> {
    const bySession = await this.#session.resolve()
    return bySession instanceof Refusal ? super.resolve() : bySession
  }
}
