import { InvalidClient } from '#auth/errors'
import type { Clients } from '#oauth2/clients/clients'
import { type Announce, tokenEvent } from '#oauth2/events'
import {
  type GrantedAccess,
  type TokenIssuer,
  type TokenResponse,
  toResponse,
} from '#oauth2/tokens/token_issuer'
import type { IssuedRecords, TokenStore } from '#oauth2/tokens/token_store'

/** The last step of a grant that spends no code and no refresh token. */
export class Issuance {
  constructor(
    protected services: {
      tokenIssuer: TokenIssuer
      tokens: TokenStore
      clients: Clients
      announce: Announce
    }
  ) {}

  /**
   * Makes tokens, stores them and announces them. When their client is revoked at
   * this moment, none are left.
   *
   * @param refreshable whether a refresh token goes with the access token
   * @throws {InvalidClient} when the client has been revoked
   */
  async issue(
    grantType: string,
    granted: GrantedAccess,
    refreshable: boolean
  ): Promise<TokenResponse> {
    const prepared = await this.services.tokenIssuer.prepare(
      granted,
      refreshable ? { familyId: null } : null
    )
    await this.#insert(prepared.records)
    this.services.announce('oauth2:token_issued', { grantType, ...tokenEvent(prepared) })
    return toResponse(prepared)
  }

  /**
   * A revocation marks the client and then revokes its tokens. So either it finds
   * the inserted tokens, or the client is seen as revoked here: by the insertion
   * itself, or by a look at the client after it.
   */
  async #insert(issued: IssuedRecords) {
    const { tokens, clients } = this.services
    const { clientId } = issued.access
    if (clientId === null) {
      return tokens.insertTokens(issued)
    }

    const inserted = await tokens.insertUnlessRevoked?.(issued, clients.repository)
    if (inserted) {
      return
    }
    if (inserted !== false) {
      await tokens.insertTokens(issued)
      if (await clients.find(clientId)) {
        return
      }
      await tokens.revokeAll({ clientId }, Date.now())
    }
    throw new InvalidClient(undefined, { reason: 'client revoked by another request' })
  }
}
