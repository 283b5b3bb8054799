import { InvalidSession } from '#auth/errors'
import type { AuthContext } from '#auth/auth_context'
import type { Guard } from '#auth/guards/guard'
import type { Users } from '#auth/users'
import type { ApiTokenService } from '#api_token/api_token_service'
import { ApiTokenGuard } from '#api_token/guard'

/**
 * The token guard in SPA mode: the session cookie first, then the token header
 * (spec 1, Authentication 4). The session guard is asked every time, because a
 * login or logout changes its answer within the request.
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

  override async authenticate(): Promise<AuthContext<User>> {
    try {
      return await this.#session.authenticate()
    } catch (error) {
      if (!(error instanceof InvalidSession)) {
        throw error
      }
      return super.authenticate()
    }
  }
}
