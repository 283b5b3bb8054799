import { AuthError } from '#auth/errors'
import { hashSecret } from '#security/secrets'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { isAnonymous } from '#oauth2/grants/grant'
import { looksLikeJwt } from '#oauth2/tokens/access_tokens'
import { familyOf } from '#oauth2/tokens/token_store'
import { nullFor } from '#process/null_for'

/** Revokes a token and its chain for its client (RFC 7009). */
export class Revocation {
  constructor(protected server: AuthorizationServer) {}

  /**
   * Revokes the token, if it belongs to the caller. Unknown tokens and those of other clients are
   * ignored (RFC 7009 §2.2), and `token_type_hint` is not needed to find one (§2.1).
   * @throws {InvalidClient} when client authentication fails
   * @throws {InvalidRequest} when the token is missing
   */
  async revoke(request: ClientRequest): Promise<void> {
    const client = await this.#authenticate(request)
    const token = request.parameters.require('token')
    return looksLikeJwt(token)
      ? this.#accessToken(token, client)
      : this.#refreshToken(token, client)
  }

  /** Without a client, tokens that have none can still be revoked, while the password grant makes them. */
  async #authenticate(request: ClientRequest): Promise<Client | null> {
    const { authentication } = this.server
    const credentials = authentication.read(request)
    return isAnonymous(credentials) && this.#hasUnboundTokens
      ? null
      : authentication.authenticate(request, credentials)
  }

  /** An expired access token still leads to its refresh token: its row stays as long as the other. */
  async #accessToken(token: string, client: Client | null) {
    const { accessTokens, tokens, announce } = this.server
    const claims = await accessTokens.verifySignature(token).catch(nullFor(AuthError))
    if (!claims) {
      return
    }
    const { jti } = claims
    const found = await tokens.findAccessToken(jti)
    const record = found?.record
    if (!record || record.name !== null || !this.#mayRevoke(record, client)) {
      return
    }
    await tokens.revokeAccessToken(jti, Date.now())
    announce('oauth2:token_revoked', { jti, clientId: record.clientId, userId: record.userId })
  }

  async #refreshToken(token: string, client: Client | null) {
    const { tokens, announce } = this.server
    const found = await tokens.findRefreshToken(hashSecret(token))
    const record = found?.record
    if (!record || !this.#mayRevoke(record, client)) {
      return
    }
    await tokens.revokeFamily(familyOf(record), Date.now())
    const { accessTokenId: jti, clientId, userId } = record
    announce('oauth2:token_revoked', { jti, clientId, userId })
  }

  /** A token without a client belongs to whoever holds it, while the password grant is enabled. */
  #mayRevoke(record: { clientId: string | null }, client: Client | null): boolean {
    return record.clientId === null ? this.#hasUnboundTokens : record.clientId === client?.id
  }

  get #hasUnboundTokens() {
    return this.server.config.grantTypes.includes('password')
  }
}
