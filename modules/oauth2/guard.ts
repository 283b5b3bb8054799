import type { AuthClientResponse } from '@adonisjs/auth/types'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext } from '#auth/auth_context'
import { InvalidToken } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import { NO_TOKEN, Refusal, badToken } from '#auth/refusal'
import type { GrantedScope } from '#auth/scopes'
import { type UserId, isUserId } from '#auth/user_providers/user_provider'
import type { Users } from '#auth/users'
import { isExpired } from '#support/expiry'
import type { AccessTokens } from '#oauth2/tokens/access_tokens'
import type { TokenIssuer } from '#oauth2/tokens/token_issuer'
import type { AccessTokenRecord, TokenStore } from '#oauth2/tokens/token_store'

declare module '#auth/guards/driver' {
  interface GuardsByDriver<User> {
    oauth2: OAuth2Guard<User>
  }
}

/** RFC 6750 §2.1 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

export interface OAuth2GuardOptions {
  /** Accept tokens for this resource and no other; null refuses tokens that are bound to one. */
  audience: string | null
  accessTokens: AccessTokens
  tokens: TokenStore
  tokenIssuer: TokenIssuer
}

/** What the access token of a test client is for. */
export interface ClientTokenOptions {
  /** Default: none. */
  scopes?: readonly GrantedScope[]
  /** The resource that the token is bound to (RFC 8707). Default: the guard's `audience`. */
  resource?: string | null
}

const MALFORMED = badToken('access token malformed')
const NO_ROW = badToken('access token row missing')
const REVOKED = badToken('access token revoked')
const EXPIRED = badToken('access token expired')
const OTHER_PROVIDER = badToken('owner of another user provider')
const NO_OWNER = badToken('owner gone or inactive')

/** The token was issued for another resource than this guard's (RFC 8707 §2.2). */
const OTHER_AUDIENCE = new Refusal(
  () => new InvalidToken('The access token is for another resource.')
)

/** Recognises the caller by an access token (RFC 6750, RFC 9068 §4): the driver `oauth2`. */
export class OAuth2Guard<User = any> extends RequestGuard<User> {
  readonly driverName = 'oauth2'
  readonly #ctx: HttpContext
  readonly #options: OAuth2GuardOptions

  constructor(name: string, users: Users<User>, ctx: HttpContext, options: OAuth2GuardOptions) {
    super(name, users)
    this.#ctx = ctx
    this.#options = options
  }

  /** Issues an access token to the user, without a client. */
  override async authenticateAsClient(
    user: User | UserId,
    options: ClientTokenOptions = {}
  ): Promise<AuthClientResponse> {
    const { tokenIssuer, tokens, audience } = this.#options
    const { records, accessToken } = await tokenIssuer.prepare(
      {
        user: {
          userId: isUserId(user) ? String(user) : this.users.identify(user),
          provider: this.users.name,
        },
        clientId: null,
        scopes: [...(options.scopes ?? [])],
        resource: options.resource ?? audience,
      },
      null
    )
    await tokens.insertTokens(records)
    return { headers: { authorization: `Bearer ${accessToken}` } }
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const { accessTokens, tokens, audience } = this.#options
    const header = this.#ctx.request.header('authorization') ?? ''
    const token = BEARER.exec(header)?.[1]
    if (!token) {
      return /^bearer\b/i.test(header) ? MALFORMED : NO_TOKEN
    }
    const claims = await accessTokens.verify(token)
    if ((claims.aud ?? null) !== audience) {
      return OTHER_AUDIENCE
    }

    const found = await tokens.findAccessToken(claims.jti, this.users)
    if (!found) {
      return NO_ROW
    }
    const { record } = found
    if (record.revokedAt !== null) {
      return REVOKED
    }
    if (isExpired(record.expiresAt)) {
      return EXPIRED
    }
    const user = record.userId === null ? null : await this.#owner(record, found.user)
    if (user instanceof Refusal) {
      return user
    }
    return new AuthContext<User>({
      user,
      scopes: record.scopes,
      clientId: record.clientId,
      jti: record.jti,
    })
  }

  /** The token's active owner. The same id is another person in another user provider. */
  async #owner(record: AccessTokenRecord, joined: unknown): Promise<User | Refusal> {
    if (record.provider !== this.users.name) {
      return OTHER_PROVIDER
    }
    const user =
      joined === undefined ? await this.users.find(record.userId!) : (joined as User | null)
    return user && (await this.users.isActive(user)) ? user : NO_OWNER
  }
}

/** The driver `oauth2`, alias `passport`. */
export function oauth2Driver(options: Omit<OAuth2GuardOptions, 'audience'>) {
  return {
    name: 'oauth2',
    create<User>({ name, spec, users }: GuardOptions<User>) {
      const guardOptions = { ...options, audience: spec.audience ?? null }
      return (ctx: HttpContext) => new OAuth2Guard(name, users, ctx, guardOptions)
    },
  } satisfies GuardDriver
}
