import type { AuthClientResponse } from '@adonisjs/auth/types'

import { AuthContext } from '#auth/auth_context'
import { RequestGuard } from '#auth/guards/request_guard'
import { NO_TOKEN, Refusal } from '#auth/refusal'
import type { UserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import type { ApiTokenService } from '#api_token/api_token_service'
import { type ApiTokenDetails, describeToken } from '#api_token/token'

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    token: ApiTokenGuard<User>
  }
}

const BEARER = /^bearer +/i

/** Recognises a user by an API token. */
export class ApiTokenGuard<User = any> extends RequestGuard<User> {
  readonly driverName = 'token'
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

  /** @param abilities what the token may do; everything when absent */
  override async authenticateAsClient(
    user: User | UserId,
    abilities?: string[]
  ): Promise<AuthClientResponse> {
    const { plainText } = await this.#service.create(this.users, user, { abilities })
    return { headers: { [this.#service.config.header]: `Bearer ${plainText}` } }
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const plainText = this.#plainText()
    if (plainText === null) {
      return NO_TOKEN
    }
    const verified = await this.#service.verify(plainText, this.users)
    if (verified instanceof Refusal) {
      return verified
    }
    this.#token = describeToken(verified.token)
    const { abilities, context } = verified.token
    return new AuthContext<User>({ user: verified.user, scopes: abilities, boundTo: context })
  }

  /** The token in the header, or null. A custom header may omit the `Bearer` prefix. */
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
