import type { HttpRequest } from '@adonisjs/core/http'

import { AuthError, InvalidClient } from '#auth/errors'
import { isExpired, toSeconds } from '#database/records'
import { hashSecret } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import type { Client } from '#oauth2/clients/client'
import { looksLikeJwt } from '#oauth2/tokens/access_tokens'
import type { AccessTokenRecord, Found, RefreshTokenRecord } from '#oauth2/tokens/token_store'
import { assertOr } from '#process/assert_or'
import { nullFor } from '#process/null_for'

/** The response for every inactive token (RFC 7662 §2.2). */
const INACTIVE = { active: false } as const

/** RFC 9701 §4 */
export const SIGNED_INTROSPECTION = 'application/token-introspection+jwt'

/** RFC 9701 §5, 1: so that it passes for no other kind of JWT, an access token above all (§8.1). */
const TYP = 'token-introspection+jwt'

/** Tells a confidential client about a token (RFC 7662). */
export class Introspection extends ServerPart {
  /**
   * @throws {InvalidClient} unless a confidential client asks
   * @throws {InvalidRequest} when the token is missing
   */
  async introspect(request: ClientRequest) {
    const { authentication } = this.server
    const caller = await authentication.authenticate(request)
    assertOr(caller.confidential, InvalidClient, 'Introspection requires a client with a secret.')
    const token = request.parameters.require('token')
    const isJwt = looksLikeJwt(token)
    return isJwt ? this.#accessToken(token, caller) : this.#refreshToken(token, caller)
  }

  async #accessToken(token: string, caller: Client) {
    const { accessTokens, tokens, owners, usedGrants, manager } = this.server
    const claims = await accessTokens.verify(token).catch(nullFor(AuthError))
    const found = claims && (await tokens.findAccessToken(claims.jti, owners.likely))
    if (!found || !(await this.#isActive(found, caller))) {
      return INACTIVE
    }
    const context = await usedGrants.contextOf(found.record)
    return {
      active: true,
      ...(context && (await manager.feature('credentialContexts')?.claims(context))),
      ...claims,
      token_type: claims.cnf ? 'DPoP' : 'Bearer',
    }
  }

  async #refreshToken(token: string, caller: Client) {
    const { config, tokens, owners, subjectOf } = this.server
    const found = await tokens.findRefreshToken(hashSecret(token), owners.likely)
    const isUsable =
      found?.record.rotatedAt === null &&
      (found.record.clientId !== null || config.grantTypes.includes('password'))
    if (!isUsable || !(await this.#isActive(found, caller))) {
      return INACTIVE
    }
    const { record } = found
    return {
      active: true,
      scope: record.scopes.join(' '),
      client_id: record.clientId,
      sub: await subjectOf(record, record.clientId),
      token_type: 'refresh_token',
      exp: record.expiresAt / 1000,
      iat: record.createdAt / 1000,
      ...(record.resource !== null && { aud: record.resource }),
      ...(record.dpopJkt !== null && { cnf: { jkt: record.dpopJkt } }),
    }
  }

  async #isActive({ record, user }: Found<AccessTokenRecord | RefreshTokenRecord>, caller: Client) {
    const { userId, provider, clientId, revokedAt, expiresAt } = record
    /* Anyone can be a client without an operator, so it sees only its own tokens (RFC 7662 §4). */
    const maySee = caller.source === null || clientId === caller.id
    if (revokedAt !== null || isExpired(expiresAt) || !maySee) {
      return false
    }
    if (userId === null) {
      return true
    }
    const { clients, owners } = this.server
    /* A client whose document cannot be had for a day is as good as gone. */
    const find = (id: string) => clients.find(id).catch(nullFor(AuthError))
    /* The client of a token most often is the caller. */
    const client = clientId === caller.id ? caller : clientId && (await find(clientId))
    const isOrphan = clientId !== null && !client
    const owner = { userId, provider: provider! }
    return !isOrphan && (await owners.find(owner, client || null, user)) !== null
  }

  /** Whether the caller asks for a JWT (RFC 9701) and can have one, which takes a published key to verify it. */
  async isSignedWanted(request: HttpRequest): Promise<boolean> {
    const { keys } = this.server
    if (!keys.stored || !request.header('accept')) {
      return false
    }
    await keys.ready()
    const preferred = request.accepts(['application/json', SIGNED_INTROSPECTION])
    return preferred === SIGNED_INTROSPECTION && keys.isAsymmetric
  }

  /** The answer as a JWT for the client that asked (§5), which has no `sub` and no `exp`. */
  sign(answer: object, aud: string, request: HttpRequest): Promise<string> {
    const { keys } = this.server
    const iat = toSeconds(Date.now())
    const claims = { iss: this.server.issuerOf(request), aud, iat, token_introspection: answer }
    return keys.sign(claims, { typ: TYP })
  }
}

/** Revokes a token and its chain for its client (RFC 7009). */
export class Revocation extends ServerPart {
  /**
   * Revokes the token, if it belongs to the caller. Unknown tokens and those of other clients are
   * ignored (RFC 7009 §2.2), and `token_type_hint` is not needed to find one (§2.1).
   * @throws {InvalidClient} when client authentication fails
   * @throws {InvalidRequest} when the token is missing
   */
  async revoke(request: ClientRequest): Promise<void> {
    const { tokens, authentication, announce } = this.server
    /* Without a client, tokens that have none can still be revoked, while the password grant makes them. */
    const client = await authentication.authenticateIfNamed(request, this.#hasUnboundTokens)
    const token = request.parameters.require('token')
    const record = await (looksLikeJwt(token) ? this.#access(token) : this.#refresh(token))
    if (record && this.#mayRevoke(record, client)) {
      const { jti, clientId, userId } = record
      await tokens.revokeAccessToken(jti, Date.now())
      announce('oauth2:token_revoked', { jti, clientId, userId })
    }
  }

  /** An expired access token still leads to its refresh token: its row stays as long as the other. */
  async #access(token: string) {
    const { accessTokens, tokens } = this.server
    const claims = await accessTokens.verifySignature(token).catch(nullFor(AuthError))
    const found = claims && (await tokens.findAccessToken(claims.jti))
    return found?.record.name === null ? found.record : null
  }

  /** With the access token that was issued together with it, by which the family is found. */
  async #refresh(token: string) {
    const found = await this.server.tokens.findRefreshToken(hashSecret(token))
    return found && { ...found.record, jti: found.record.accessTokenId }
  }

  /** A token without a client belongs to whoever holds it, while the password grant is enabled. */
  #mayRevoke(record: { clientId: string | null }, client: Client | null): boolean {
    return record.clientId === null ? this.#hasUnboundTokens : record.clientId === client?.id
  }

  get #hasUnboundTokens() {
    return this.server.config.grantTypes.includes('password')
  }
}
