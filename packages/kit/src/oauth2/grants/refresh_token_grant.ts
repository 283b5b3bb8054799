import { InvalidClient, InvalidGrant } from '#auth/errors'
import { isExpired } from '#database/expiry'
import { hashSecret } from '#security/secrets'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, type GrantServices, assertMayUse } from '#oauth2/grants/grant'
import { RefreshReplay } from '#oauth2/grants/refresh_replay'
import type { Parameters } from '#oauth2/parameters'
import { resolveResource } from '#oauth2/resource_indicators'
import { ScopeCatalogue, splitScopes } from '#oauth2/scopes'
import { type TokenResponse, approvedAccess } from '#oauth2/tokens/token_issuer'
import { type RefreshTokenRecord, familyOf } from '#oauth2/tokens/token_store'

/**
 * A refresh token becomes a new pair and is spent (RFC 6749 §6, rotation with
 * reuse detection: RFC 9700 §4.14.2). Only the presentation of a rotated token
 * changes anything when it fails: it is treated as theft, unless a replay window is open.
 */
export class RefreshTokenGrant implements Grant {
  readonly identifier = 'refresh_token'

  readonly #replay: RefreshReplay

  constructor(protected services: GrantServices) {
    this.#replay = new RefreshReplay(services.config, services.tokens)
  }

  async handle(request: ClientRequest) {
    const { config, authentication, dpop, issuance, owners, tokens } = this.services
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
    if (token.rotatedAt !== null) {
      return this.#again(presented, token, scopes, binding)
    }
    if (token.dpopJkt !== null && token.dpopJkt !== binding?.jkt) {
      throw refused('refresh token bound to another key')
    }

    const response = await issuance.redeem(
      this.identifier,
      { ...approvedAccess(token), scopes, binding },
      { familyId: familyOf(token) },
      (issued, answer) => {
        const now = Date.now()
        const { expiresAt } = issued.access
        const successor = { response: answer, expiresAt, jkt: binding?.jkt ?? null }
        const replay = this.#replay.keep(token, presented, client, successor, now)
        return tokens.rotate(token, issued, now, replay)
      }
    )
    return response ?? this.#lostTheRace(presented, token, client, scopes, binding)
  }

  /**
   * A rotated token is known to two parties, one of them a thief, whoever
   * presents it (RFC 9700 §4.14.2). Inside the replay window its own
   * client may have missed the answer.
   */
  async #assertNotReused(token: RefreshTokenRecord, client: Client | null) {
    if (token.rotatedAt !== null && !this.#replay.isOpen(token, client, Date.now())) {
      await this.#revokeFamily(token)
      throw refused('refresh token already rotated')
    }
  }

  /** The same pair again, for a token that passed every other check. */
  async #again(
    presented: string,
    token: RefreshTokenRecord,
    scopes: string[],
    binding: Binding | null
  ): Promise<TokenResponse> {
    const response = await this.#replay.again(token, presented, binding, Date.now())
    if (!response) {
      await this.#revokeFamily(token)
      throw refused('refresh token already rotated, and its successor used')
    }
    if (splitScopes(response.scope).some((scope) => !scopes.includes(scope))) {
      throw refused('refresh token already rotated, for more scopes')
    }
    return response
  }

  /** Another request rotated or revoked the token while this one was being validated. */
  async #lostTheRace(
    presented: string,
    token: RefreshTokenRecord,
    client: Client | null,
    scopes: string[],
    binding: Binding | null
  ): Promise<TokenResponse> {
    const found = await this.services.tokens.findRefreshToken(hashSecret(presented))
    const isReplay = found !== null && this.#replay.isOpen(found.record, client, Date.now())
    if (!isReplay) {
      await this.#revokeFamily(token)
      throw refused('refresh token rotated or revoked by another request')
    }
    return this.#again(presented, found.record, scopes, binding)
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
    const requested = ScopeCatalogue.drop(splitScopes(parameters.get('scope') ?? ''), (scope) =>
      token.scopes.includes(scope)
    )
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
