import { InvalidClient } from '#auth/errors'
import { ServerPart } from '#oauth2/server_part'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import { tokenEvent } from '#oauth2/events'
import { mayUse } from '#oauth2/grants/grant'
import {
  type GrantedAccess,
  type Refresh,
  type TokenResponse,
  approvedAccess,
  toResponse,
} from '#oauth2/tokens/token_issuer'
import type { AuthorizationCodeRecord, IssuedRecords } from '#oauth2/tokens/token_store'
import type { MaybePromise } from '#process/maybe_promise'

/** The last steps of every grant. */
export class Issuance extends ServerPart {
  /**
   * Gives tokens for a code or refresh token, which is spent: no transaction waits for a signature.
   * @param spend stores the tokens together with what they are given for; false when that was spent meanwhile
   * @returns null, and nothing is stored, when it was spent by another request
   */
  async redeem(
    grantType: string,
    granted: GrantedAccess,
    refresh: Refresh,
    spend: (issued: IssuedRecords, response: TokenResponse) => MaybePromise<boolean>
  ): Promise<TokenResponse | null> {
    const { tokenIssuer, openid, announce } = this.server
    const prepared = await tokenIssuer.prepare(granted, refresh)
    const idToken = await openid?.idTokenFor(prepared, granted.authentication ?? null)
    const response = toResponse(prepared, idToken)
    if (!(await spend(prepared.records, response))) {
      return null
    }
    const event = tokenEvent(prepared.records.access)
    if (grantType === 'refresh_token') {
      announce('oauth2:token_refreshed', event)
    } else {
      announce('oauth2:token_issued', { grantType, ...event })
    }
    return response
  }

  /** Gives tokens for a code; null when it was spent by another request. */
  redeemCode(
    grantType: string,
    code: AuthorizationCodeRecord,
    client: Client,
    binding: Binding | null
  ): Promise<TokenResponse | null> {
    const { config, tokens } = this.server
    const refresh = mayUse(config, client, 'refresh_token') ? { familyId: null } : null
    return this.redeem(grantType, { ...approvedAccess(code), binding }, refresh, (issued) =>
      tokens.redeemCode(code.id, issued, Date.now())
    )
  }

  /**
   * Gives tokens for what is not stored here.
   * @param refreshable whether a refresh token goes with the access token
   * @throws {InvalidClient} when the client has been revoked meanwhile: no tokens are left then
   */
  async issue(grantType: string, granted: GrantedAccess, refreshable: boolean) {
    const refresh = refreshable ? { familyId: null } : null
    const insert = (issued: IssuedRecords) => this.#insert(issued)
    const response = await this.redeem(grantType, granted, refresh, insert)
    if (!response) {
      throw new InvalidClient(undefined, { reason: 'client revoked by another request' })
    }
    return response
  }

  /**
   * A revocation marks the client and then revokes its tokens. So either it finds the inserted tokens,
   * or the client is seen as revoked here: by the insertion itself, or by a look at the client after it.
   */
  async #insert(issued: IssuedRecords): Promise<boolean> {
    const { tokens, clients } = this.server
    const { clientId } = issued.access
    if (clientId === null) {
      await tokens.insertTokens(issued)
      return true
    }
    const inserted = await tokens.insertUnlessRevoked?.(issued, clients.repository)
    if (typeof inserted === 'boolean') {
      return inserted
    }
    await tokens.insertTokens(issued)
    if (await clients.find(clientId)) {
      return true
    }
    await tokens.revokeAll({ clientId }, Date.now())
    return false
  }
}
