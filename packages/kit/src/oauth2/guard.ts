import type { HttpContext } from '@adonisjs/core/http'

import { AuthContext, NO_TOKEN, Refusal, badToken } from '#auth/outcome'
import { resourceOf } from '#auth/challenge'
import { InvalidToken } from '#auth/errors'
import { RequestGuard } from '#auth/guards/guard'
import type { GuardDriver, GuardOptions } from '#auth/guards/driver'
import type { GrantedScope } from '#auth/scopes'
import type { UserId, Users } from '#auth/users'
import { isExpired } from '#database/records'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { AccessTokenRecord } from '#oauth2/tokens/token_store'

/** RFC 6750 §2.1 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i

export interface OAuth2GuardOptions extends Pick<
  AuthorizationServer,
  'accessTokens' | 'tokens' | 'tokenIssuer' | 'usedGrants' | 'dpop'
> {
  /** Accept tokens for this resource and no other; null refuses tokens that are bound to one, unless the route is that one. */
  audience: string | null
}

export interface ClientTokenOptions {
  /** Default: none. */
  scopes?: readonly GrantedScope[]
  /** The resource that the token is bound to (RFC 8707). Default: the guard's `audience`. */
  resource?: string | null
}

/** RFC 8707 §2.2 */
const OTHER_AUDIENCE = new Refusal(
  () => new InvalidToken('The access token is for another resource.')
)

/** Recognises the caller by an access token (RFC 6750, RFC 9068 §4): the driver `oauth2`. */
export class OAuth2Guard<User = any> extends RequestGuard<User> {
  readonly driverName = 'oauth2'

  constructor(
    name: string,
    users: Users<User>,
    protected ctx: HttpContext,
    protected options: OAuth2GuardOptions
  ) {
    super(name, users)
  }

  override async authenticateAsClient(user: User | UserId, options: ClientTokenOptions = {}) {
    const { tokenIssuer, tokens, audience } = this.options
    const { scopes = [], resource } = options
    const userId = await this.users.idOf(user)
    const owner = { userId, provider: this.users.name }
    const to = { clientId: null, scopes: [...scopes], resource: resource ?? audience }
    const { records, accessToken } = await tokenIssuer.prepare({ ...to, user: owner }, null)
    await tokens.insertTokens(records)
    return { headers: { authorization: `Bearer ${accessToken}` } }
  }

  protected async identify(): Promise<AuthContext<User> | Refusal> {
    const { accessTokens, tokens, audience, dpop } = this.options
    const header = this.ctx.request.header('authorization') ?? ''
    const bearer = BEARER.exec(header)?.[1]
    const token = bearer ?? dpop.tokenIn(header)
    if (!token) {
      const isMalformed = /^(?:bearer|dpop)\b/i.test(header)
      return isMalformed ? badToken('Authorization header malformed') : NO_TOKEN
    }
    const claims = await accessTokens.verify(token)
    const resource = accessTokens.resourceOf(claims)
    if (!this.#isFor(resource, audience)) {
      return OTHER_AUDIENCE
    }

    const found = await tokens.findAccessToken(claims.jti, this.users)
    if (!found) {
      return badToken('row of the access token missing')
    }
    const { record } = found
    const user = refusalOf(record, resource) ?? (await this.#owner(record, found.user))
    if (user instanceof Refusal) {
      return user
    }
    const isBound = claims.cnf !== undefined || bearer === undefined
    const refusal = isBound && (await dpop.judge(this.ctx, token, claims.cnf?.jkt ?? null))
    return refusal || this.#contextOf(record, user)
  }

  /** The context of the token and its grant, whose use is recorded. */
  async #contextOf(record: AccessTokenRecord, user: User | null): Promise<AuthContext<User>> {
    const { scopes, clientId, jti, grantId } = record
    const boundTo = await this.options.usedGrants.contextOf(record)
    const grant = grantId === null ? null : { id: grantId, context: boundTo }
    return new AuthContext<User>({ user, scopes, clientId, jti, grant, boundTo })
  }

  /** A route that is a resource also accepts tokens bound to it. */
  #isFor(bound: string | null, audience: string | null): boolean {
    return bound === audience || (audience === null && bound === resourceOf(this.ctx.route)?.url)
  }

  /** The token's active owner; null for client credentials. The same id is another person in another user provider. */
  async #owner({ userId, provider }: AccessTokenRecord, joined: unknown) {
    if (userId === null) {
      return null
    }
    if (provider !== this.users.name) {
      return badToken('access token of a user of another user provider')
    }
    const owner = await this.users.findActive(userId, joined as User | null)
    return owner ?? badToken('owner of the access token gone or inactive')
  }
}

/** Why the row of a token is refused for a resource, or null. */
function refusalOf(record: AccessTokenRecord, resource: string | null): Refusal | null {
  if (record.resource !== resource) {
    return OTHER_AUDIENCE
  }
  if (record.revokedAt !== null) {
    return badToken('access token revoked')
  }
  return isExpired(record.expiresAt) ? badToken('row of the access token expired') : null
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
