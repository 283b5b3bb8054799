import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext } from '#auth/auth_context'
import { InvalidToken } from '#auth/errors'
import { RequestGuard } from '#auth/guards/request_guard'
import type { GuardDriver } from '#auth/guards/driver'
import { isExpired } from '#support/expiry'
import type { Users } from '#auth/users'
import type { AccessTokens } from '#oauth2/tokens/access_tokens'
import type { AccessTokenRecord, TokenStore } from '#oauth2/tokens/token_store'

/** RFC 6750 §2.1 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

export interface OAuth2GuardOptions {
  /** Accept tokens for this resource and no other; null refuses tokens that are bound to one. */
  audience: string | null
  accessTokens: AccessTokens
  tokens: TokenStore
}

/** Recognises the caller by an access token (RFC 6750, RFC 9068 §4): the driver `oauth2`. */
export class OAuth2Guard<User = any> extends RequestGuard<User> {
  readonly driver = 'oauth2'
  readonly #ctx: HttpContext
  readonly #options: OAuth2GuardOptions

  constructor(name: string, users: Users<User>, ctx: HttpContext, options: OAuth2GuardOptions) {
    super(name, users)
    this.#ctx = ctx
    this.#options = options
  }

  protected async identify() {
    const { accessTokens, tokens, audience } = this.#options
    const claims = await accessTokens.verify(this.#bearer())
    if ((claims.aud ?? null) !== audience) {
      throw new InvalidToken('The access token is for another resource.')
    }

    const found = await tokens.findAccessToken(claims.jti, this.users)
    if (!found || found.record.revokedAt !== null || isExpired(found.record.expiresAt)) {
      throw new InvalidToken()
    }
    const { record } = found
    return new AuthContext<User>({
      user: record.userId === null ? null : await this.#owner(record, found.user),
      scopes: record.scopes,
      clientId: record.clientId,
      jti: record.jti,
    })
  }

  #bearer() {
    const header = this.#ctx.request.header('authorization')
    const token = BEARER.exec(header ?? '')?.[1]
    if (!token) {
      throw new InvalidToken(undefined, !/^bearer\b/i.test(header ?? ''))
    }
    return token
  }

  /** The same id is another person in another user provider. */
  async #owner(record: AccessTokenRecord, joined: unknown): Promise<User> {
    if (record.provider !== this.users.name) {
      throw new InvalidToken()
    }
    const user =
      joined === undefined ? await this.users.find(record.userId!) : (joined as User | null)
    if (!user || !(await this.users.isActive(user))) {
      throw new InvalidToken()
    }
    return user
  }
}

/** The driver `oauth2`, alias `passport` (spec 1, Guard specs). */
export function oauth2Driver(options: Omit<OAuth2GuardOptions, 'audience'>): GuardDriver {
  return {
    name: 'oauth2',
    create: ({ name, spec, users }) => {
      const guardOptions = { ...options, audience: spec.audience ?? null }
      return (ctx) => new OAuth2Guard(name, users, ctx, guardOptions)
    },
  }
}
