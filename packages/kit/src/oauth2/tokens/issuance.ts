import { InvalidClient } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import { tokenEvent } from '#oauth2/events'
import { mayUse } from '#oauth2/grants/grant'
import {
  type GrantedAccess,
  type PreparedTokens,
  type TokenResponse,
  approvedAccess,
  toResponse,
} from '#oauth2/tokens/token_issuer'
import type { AuthorizationCodeRecord, IssuedRecords } from '#oauth2/tokens/token_store'
import type { MaybePromise } from '#process/maybe_promise'

/** The family that a refresh token joins, null for one of its own; null for no refresh token. */
export type Refresh = { familyId: string | null } | null

/** Stores tokens together with what they are given for; false when that was spent meanwhile. */
export type Spend = (issued: IssuedRecords, response: TokenResponse) => MaybePromise<boolean>

/** The last steps of every grant. */
export class Issuance {
  constructor(protected server: AuthorizationServer) {}

  /**
   * Gives tokens for a code or refresh token, which is spent: no transaction waits for a signature.
   *
   * @returns null, and nothing is stored, when it was spent by another request
   */
  async redeem(
    grantType: string,
    granted: GrantedAccess,
    refresh: Refresh,
    spend: Spend
  ): Promise<TokenResponse | null> {
    const { tokenIssuer, openid } = this.server
    const prepared = await tokenIssuer.prepare(granted, refresh)
    const idToken = await openid?.idTokenFor(prepared, granted.authentication ?? null)
    const response = toResponse(prepared, idToken)
    if (!(await spend(prepared.records, response))) {
      return null
    }
    this.#announce(grantType, prepared)
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
   * Gives tokens for what is not stored here. When their client is revoked at this moment, none
   * are left.
   *
   * @param refreshable whether a refresh token goes with the access token
   * @throws {InvalidClient} when the client has been revoked
   */
  async issue(
    grantType: string,
    granted: GrantedAccess,
    refreshable: boolean
  ): Promise<TokenResponse> {
    const refresh = refreshable ? { familyId: null } : null
    const response = await this.redeem(grantType, granted, refresh, (issued) =>
      this.#insert(issued)
    )
    if (!response) {
      throw new InvalidClient(undefined, { reason: 'client revoked by another request' })
    }
    return response
  }

  #announce(grantType: string, prepared: PreparedTokens) {
    const event = tokenEvent(prepared)
    if (grantType === 'refresh_token') {
      this.server.announce('oauth2:token_refreshed', event)
    } else {
      this.server.announce('oauth2:token_issued', { grantType, ...event })
    }
  }

  /**
   * A revocation marks the client and then revokes its tokens. So either it finds
   * the inserted tokens, or the client is seen as revoked here: by the insertion
   * itself, or by a look at the client after it.
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
