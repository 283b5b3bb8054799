import { InvalidClient, InvalidGrant } from '#auth/errors'
import { isExpired } from '#support/expiry'
import { hashSecret } from '#support/secrets'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { tokenEvent } from '#oauth2/events'
import { type Grant, type GrantServices, assertMayUse } from '#oauth2/grants/grant'
import type { Parameters } from '#oauth2/parameters'
import { resolveResource } from '#oauth2/resource_indicators'
import { splitScopes } from '#oauth2/scopes'
import { toResponse } from '#oauth2/tokens/token_issuer'
import { type RefreshTokenRecord, familyOf } from '#oauth2/tokens/token_store'

/**
 * A refresh token becomes a new pair and is spent (RFC 6749 §6, rotation with
 * reuse detection: RFC 9700 §4.14.2). Only the presentation of a rotated token
 * changes anything when it fails: it is treated as theft.
 */
export class RefreshTokenGrant implements Grant {
  readonly identifier = 'refresh_token'

  constructor(protected services: GrantServices) {}

  async handle(request: ClientRequest) {
    const { config, authentication, dpop, tokenIssuer, owners, tokens, openid, announce } =
      this.services
    const { parameters } = request

    const presented = parameters.require('refresh_token')
    const found = await tokens.findRefreshToken(hashSecret(presented), owners.likely)
    if (!found) {
      throw refused('refresh token unknown')
    }
    const token = found.record

    const credentials = authentication.read(request)
    const anonymous = credentials.id === null && credentials.secret === null
    if (credentials.id === null && (token.clientId !== null || !anonymous)) {
      throw new InvalidClient('The parameter client_id is missing.')
    }
    const client = anonymous ? null : await authentication.authenticate(request, credentials)
    if (client) {
      assertMayUse(config, client, this.identifier)
    }

    await this.#assertNotReused(token, client)
    this.#assertPresenter(token, client)
    if (token.revokedAt !== null) {
      throw refused('family revoked')
    }
    if (isExpired(token.expiresAt)) {
      throw refused('refresh token expired')
    }
    if (!(await owners.find(token, client, found.user))) {
      throw refused('owner of the refresh token gone or inactive')
    }
    this.#assertResource(token, parameters)
    const scopes = this.#narrow(token, parameters)
    const binding = await dpop.bind(request, client)
    if (token.dpopJkt !== null && token.dpopJkt !== binding?.jkt) {
      throw refused('refresh token bound to another key')
    }

    const prepared = await tokenIssuer.prepare(
      {
        user: { userId: token.userId, provider: token.provider },
        clientId: token.clientId,
        scopes,
        resource: token.resource,
        grantId: token.grantId,
        authentication: token.authentication,
        binding,
      },
      { familyId: familyOf(token) }
    )
    const idToken = await openid?.idTokenFor(prepared, token.authentication)
    const now = Date.now()
    if (!(await tokens.rotate(token, prepared.records, now, this.#graceStart(now)))) {
      await this.#revokeFamily(token)
      throw refused('refresh token rotated or revoked by another request')
    }
    announce('oauth2:token_refreshed', tokenEvent(prepared))
    return toResponse(prepared, idToken)
  }

  /**
   * A rotated token is known to two parties, one of them a thief, whoever
   * presents it (RFC 9700 §4.14.2). Inside the grace period its own
   * client may have missed the answer.
   */
  async #assertNotReused(token: RefreshTokenRecord, client: Client | null) {
    if (token.rotatedAt === null) {
      return
    }
    const graceStart = this.#graceStart(Date.now())
    const graced =
      graceStart !== null &&
      token.rotatedAt > graceStart &&
      token.revokedAt === null &&
      token.clientId === (client?.id ?? null)
    if (!graced) {
      await this.#revokeFamily(token)
      throw refused('refresh token already rotated')
    }
  }

  /** Tokens without a client come from the password grant, and live while it is enabled. */
  #assertPresenter(token: RefreshTokenRecord, client: Client | null) {
    if (token.clientId !== (client?.id ?? null)) {
      throw refused('refresh token of another client')
    }
    if (client === null && !this.services.config.grantTypes.includes('password')) {
      throw refused('refresh token without a client, and the password grant is off')
    }
  }

  #assertResource(token: RefreshTokenRecord, parameters: Parameters) {
    const requested = parameters.get('resource')
    if (requested === null || requested === token.resource) {
      return
    }
    if (resolveResource(requested, this.services.config.served) === token.resource) {
      return
    }
    throw new InvalidGrant('The resource is not that of the refresh_token.')
  }

  /** A refresh may narrow the scopes, for good, and never widens them. */
  #narrow(token: RefreshTokenRecord, parameters: Parameters): string[] {
    const requested = splitScopes(parameters.get('scope') ?? '')
    if (!requested.length) {
      return token.scopes
    }
    const wider = requested.filter((scope) => !token.scopes.includes(scope))
    if (wider.length) {
      this.services.catalogue.assertKnown(wider)
      throw new InvalidGrant('The scope is wider than that of the refresh_token.')
    }
    return requested
  }

  #graceStart(now: number): number | null {
    const { refreshTokenGracePeriod } = this.services.config
    return refreshTokenGracePeriod > 0 ? now - refreshTokenGracePeriod * 1000 : null
  }

  async #revokeFamily(token: RefreshTokenRecord) {
    await this.services.tokens.revokeFamily(familyOf(token), Date.now())
    this.services.announce('oauth2:reuse_detected', {
      kind: 'refresh_token',
      clientId: token.clientId,
      userId: token.userId,
    })
  }
}

/** One answer, whatever is wrong with the token: a caller cannot find out which tokens exist. */
function refused(reason: string) {
  return new InvalidGrant('The refresh_token is invalid, expired or revoked.', { reason })
}
