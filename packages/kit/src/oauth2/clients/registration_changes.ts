import { assertArgument } from '#config/checks'
import { generateSecret, hashSecret } from '#security/secrets'
import type { Client, ClientChanges } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import { type OpenIdRegistration, toClientOpenId } from '#oauth2/openid/client_settings'

/** Changes of clients. @throws {InvalidArgumentsException} for an unknown or revoked client, and for bad values */
export class RegistrationChanges {
  constructor(protected repository: ClientRepository) {}

  /**
   * Gives a client another secret. The present one goes on working for a while, so that every
   * instance of the client can be told in time.
   *
   * @param overlap seconds that the present secret goes on working; 0 for a secret that has leaked
   * @returns the new secret, which is shown this once
   */
  async rotateSecret(id: string, overlap: number): Promise<string> {
    const isPeriod = Number.isInteger(overlap) && overlap >= 0
    assertArgument(isPeriod, 'The overlap is a whole number of seconds, or 0')
    const { secretHash, hasKeys } = await this.#find(id)
    const kind = hasKeys ? 'client with keys of its own' : 'public client'
    assertArgument(secretHash !== null, `A ${kind} has no secret`)
    const secret = generateSecret()
    await this.#update(id, {
      secretHash: hashSecret(secret),
      previousSecretHash: overlap ? secretHash : null,
      previousSecretExpiresAt: overlap ? Date.now() + overlap * 1000 : null,
    })
    return secret
  }

  async changeRedirectUris(id: string, redirectUris: string[]): Promise<void> {
    redirectUris.forEach(assertRedirectUri)
    await this.#find(id)
    await this.#update(id, { redirectUris: [...new Set(redirectUris)] })
  }

  /** Replaces the logout URIs (OpenID Connect). The kind of subject stays: clients know users by it. */
  async changeLogoutUris(
    id: string,
    uris: Pick<OpenIdRegistration, 'postLogoutRedirectUris' | 'backchannelLogoutUri'>
  ): Promise<void> {
    const client = await this.#find(id)
    const pairwiseSector = client.openid?.pairwiseSector ?? null
    const openid = toClientOpenId(uris, client)
    const none = { postLogoutRedirectUris: [], backchannelLogoutUri: null }
    await this.#update(id, {
      openid: openid || pairwiseSector ? { ...none, ...openid, pairwiseSector } : null,
    })
  }

  /** The metadata document of a client says what it is: changes here would be undone. */
  async #find(id: string): Promise<Client> {
    const client = await this.repository.find(id)
    assertArgument(client && !client.revoked, 'There is no such client, or it is revoked')
    const isOurs = client.source !== 'document'
    assertArgument(isOurs, 'This client is described by its metadata document')
    return client
  }

  async #update(id: string, changes: ClientChanges) {
    const isUpdated = await this.repository.update(id, changes)
    assertArgument(isUpdated, 'The client has been revoked meanwhile')
  }
}
