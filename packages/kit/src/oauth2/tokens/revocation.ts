import { AuthError } from '#auth/errors'
import { hashSecret } from '#security/secrets'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { isAnonymous } from '#oauth2/grants/grant'
import { looksLikeJwt } from '#oauth2/tokens/access_tokens'
import { nullFor } from '#process/null_for'

/** Revokes a token and its chain for its client (RFC 7009). */
export class Revocation extends ServerPart {
  /**
   * Revokes the token, if it belongs to the caller. Unknown tokens and those of other clients are
   * ignored (RFC 7009 §2.2), and `token_type_hint` is not needed to find one (§2.1).
   * @throws {InvalidClient} when client authentication fails
   * @throws {InvalidRequest} when the token is missing
   */
  async revoke(request: ClientRequest): Promise<void> {
    const { tokens, announce } = this.server
    const client = await this.#authenticate(request)
    const token = request.parameters.require('token')
    const record = await (looksLikeJwt(token) ? this.#access(token) : this.#refresh(token))
    if (record && this.#mayRevoke(record, client)) {
      const { jti, clientId, userId } = record
      await tokens.revokeAccessToken(jti, Date.now())
      announce('oauth2:token_revoked', { jti, clientId, userId })
    }
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
