import { AuthContext } from '#auth/auth_context'
import { InvalidToken } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { Users } from '#auth/users'
import type { ApiTokenService } from '#api_token/api_token_service'
import { type ApiTokenDetails, describeToken } from '#api_token/token'

const BEARER = /^bearer +/i

/** Recognises a user by an API token (spec 1, Authentication 3). */
export class ApiTokenGuard<User = any> extends RequestGuard<User> {
  readonly driver = 'token'
  readonly #service: ApiTokenService
  readonly #header: string | undefined
  #token: ApiTokenDetails | null = null

  /** @param header value of the request header that `ApiTokenConfig.header` names */
  constructor(
    name: string,
    users: Users<User>,
    service: ApiTokenService,
    header: string | undefined
  ) {
    super(name, users)
    this.#service = service
    this.#header = header
  }

  /** The token that authenticated this request, for its owner to revoke; null before. */
  get token(): ApiTokenDetails | null {
    return this.#token
  }

  protected async identify(): Promise<AuthContext<User>> {
    const plainText = this.#plainText()
    if (plainText === null) {
      throw new InvalidToken(undefined, true)
    }
    const verified = await this.#service.verify(plainText, this.users)
    if (!verified) {
      throw new InvalidToken()
    }
    this.#token = describeToken(verified.token)
    return new AuthContext<User>({ user: verified.user, scopes: verified.token.abilities })
  }

  /** What the header carries; null when that is no token at all. A header of our own may leave `Bearer` out. */
  #plainText(): string | null {
    const value = this.#header?.trim()
    if (!value) {
      return null
    }
    if (BEARER.test(value)) {
      return value.replace(BEARER, '')
    }
    return this.#service.config.header.toLowerCase() === 'authorization' ? null : value
  }
}
