import { InvalidClient, InvalidGrant } from '#auth/errors'
import { isExpired } from '#database/expiry'
import { hashSecret } from '#security/secrets'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { Binding } from '#oauth2/dpop/dpop'
import { type Grant, assertMayUse, isAnonymous } from '#oauth2/grants/grant'
import { RefreshReplay } from '#oauth2/grants/refresh_replay'
import type { Parameters } from '#oauth2/parameters'
import { ScopeCatalogue, splitScopes } from '#oauth2/scopes'
import { resolveResource } from '#oauth2/served_resources'
import { type TokenResponse, approvedAccess } from '#oauth2/tokens/token_issuer'
import { type RefreshTokenRecord, familyOf } from '#oauth2/tokens/token_store'

/** A refresh token that was presented and passed every check but those of its rotation. */
interface Presentation {
  presented: string
  token: RefreshTokenRecord
  client: Client | null
  scopes: string[]
  binding: Binding | null
}

/**
 * A refresh token becomes a new pair and is spent (RFC 6749 §6; RFC 9700 §4.14.2). Only a rotated token that
 * is presented again changes anything: that is treated as theft, unless a replay window is open.
 */
export class RefreshTokenGrant implements Grant {
  readonly identifier = 'refresh_token'

  readonly #replay: RefreshReplay

  constructor(protected server: AuthorizationServer) {
    this.#replay = new RefreshReplay(server)
  }

  async handle(request: ClientRequest) {
    const { issuance, tokens } = this.server
    const presentation = await this.#validate(request)
    const { presented, token, client, scopes, binding } = presentation
    if (token.rotatedAt !== null) {
      return this.#again(presentation)
    }
    const isProven = token.dpopJkt === null || token.dpopJkt === binding?.jkt
    assertToken(isProven, 'refresh token bound to another key')

    const granted = { ...approvedAccess(token), scopes, binding }
    const family = { familyId: familyOf(token) }
    const answer = await issuance.redeem(this.identifier, granted, family, (issued, response) => {
      const now = Date.now()
      const { expiresAt } = issued.access
      const successor = { response, expiresAt, jkt: binding?.jkt ?? null }
      const replay = this.#replay.keep(token, presented, client, successor, now)
      return tokens.rotate(token, issued, now, replay)
    })
    return answer ?? this.#lostTheRace(presentation)
  }

  async #validate(request: ClientRequest): Promise<Presentation> {
    const { dpop, owners, tokens } = this.server
    const presented = request.parameters.require('refresh_token')
    const found = await tokens.findRefreshToken(hashSecret(presented), owners.likely)
    assertToken(found !== null, 'refresh token unknown')
    const token = found.record
    const client = await this.#authenticate(request, token)

    /* Two parties know the token, one is a thief (RFC 9700 §4.14.2), unless its client missed the answer. */
    if (token.rotatedAt !== null && !this.#replay.isOpen(token, client, Date.now())) {
      return this.#revokeFamily(token, 'refresh token already rotated')
    }
    this.#assertPresenter(token, client)
    assertToken(token.revokedAt === null, 'family revoked')
    assertToken(!isExpired(token.expiresAt), 'refresh token expired')
    const owner = await owners.find(token, client, found.user)
    assertToken(owner, 'owner of the refresh token gone or inactive')
    this.#assertResource(token, request.parameters)
    const scopes = this.#narrow(token, request.parameters)
    const binding = await dpop.bind(request, client)
    return { presented, token, client, scopes, binding }
  }

  async #authenticate(request: ClientRequest, token: RefreshTokenRecord): Promise<Client | null> {
    const { config, authentication } = this.server
    const credentials = authentication.read(request)
    const anonymous = isAnonymous(credentials)
    if (credentials.id === null && (token.clientId !== null || !anonymous)) {
      throw new InvalidClient('The parameter client_id is missing.')
    }
    const client = anonymous ? null : await authentication.authenticate(request, credentials)
    if (client) {
      assertMayUse(config, client, this.identifier)
    }
    return client
  }

  /** The same pair again, for a token that passed every other check. */
  async #again({ presented, token, scopes, binding }: Presentation): Promise<TokenResponse> {
    const response = await this.#replay.again(token, presented, binding, Date.now())
    if (!response) {
      return this.#revokeFamily(token, 'refresh token already rotated, and its successor used')
    }
    const isNarrower = splitScopes(response.scope).every((scope) => scopes.includes(scope))
    assertToken(isNarrower, 'refresh token already rotated, for more scopes')
    return response
  }

  /** Another request rotated or revoked the token while this one was being validated. */
  async #lostTheRace(presentation: Presentation): Promise<TokenResponse> {
    const { presented, token, client } = presentation
    const found = await this.server.tokens.findRefreshToken(hashSecret(presented))
    return found && this.#replay.isOpen(found.record, client, Date.now())
      ? this.#again({ ...presentation, token: found.record })
      : this.#revokeFamily(token, 'refresh token rotated or revoked by another request')
  }

  /** Tokens without a client come from the password grant, and live while it is enabled. */
  #assertPresenter(token: RefreshTokenRecord, client: Client | null) {
    assertToken(token.clientId === (client?.id ?? null), 'refresh token of another client')
    const isUsable = client !== null || this.server.config.grantTypes.includes('password')
    assertToken(isUsable, 'refresh token without a client, and the password grant is off')
  }

  #assertResource({ resource }: RefreshTokenRecord, parameters: Parameters) {
    const named = parameters.get('resource') ?? resource
    const { served } = this.server.config
    if (named !== resource && resolveResource(named, served) !== resource) {
      throw new InvalidGrant('The resource is not that of the refresh_token.')
    }
  }

  /** A refresh may narrow the scopes permanently, and never widens them. */
  #narrow(token: RefreshTokenRecord, parameters: Parameters): string[] {
    const isOwn = (scope: string) => token.scopes.includes(scope)
    const requested = ScopeCatalogue.drop(splitScopes(parameters.get('scope') ?? ''), isOwn)
    const wider = requested.filter((scope) => !isOwn(scope))
    if (wider.length) {
      this.server.catalogue.assertKnown(wider)
      throw new InvalidGrant('The scope is wider than that of the refresh_token.')
    }
    return requested.length ? requested : token.scopes
  }

  /** @throws {InvalidGrant} always */
  async #revokeFamily(token: RefreshTokenRecord, reason: string): Promise<never> {
    await this.server.tokens.revokeFamily(familyOf(token), Date.now())
    const { clientId, userId } = token
    this.server.announce('oauth2:reuse_detected', { kind: this.identifier, clientId, userId })
    throw refused(reason)
  }
}

function assertToken(isRight: unknown, reason: string): asserts isRight {
  if (!isRight) {
    throw refused(reason)
  }
}

/** The same response for every reason, so that callers cannot find out which tokens exist. */
function refused(reason: string) {
  return new InvalidGrant('The refresh_token is invalid, expired or revoked.', { reason })
}
