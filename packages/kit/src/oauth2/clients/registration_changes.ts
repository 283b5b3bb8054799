import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { generateSecret, hashSecret } from '#security/secrets'
import type { Client, ClientChanges } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import { assertRedirectUri } from '#oauth2/clients/redirect_uri'
import { type OpenIdRegistration, toClientOpenId } from '#oauth2/openid/client_settings'

/** Changes of clients that are registered. */
export class RegistrationChanges {
  constructor(protected repository: ClientRepository) {}

  /**
   * Gives a client another secret. The one that it has now goes on working for a
   * while, so that every instance of the client can be told in time.
   *
   * @param overlap seconds that the present secret goes on working; 0 for a secret that has leaked
   * @returns the new secret, which is shown this once
   * @throws {InvalidArgumentsException} for a client that is unknown, revoked or public
   */
  async rotateSecret(id: string, overlap: number): Promise<string> {
    if (!Number.isInteger(overlap) || overlap < 0) {
      throw new InvalidArgumentsException('The overlap is a whole number of seconds, or 0')
    }
    const client = await this.#find(id)
    if (client.secretHash === null) {
      const kind = client.hasKeys ? 'client with keys of its own' : 'public client'
      throw new InvalidArgumentsException(`A ${kind} has no secret`)
    }
    const secret = generateSecret()
    await this.#update(client, {
      secretHash: hashSecret(secret),
      previousSecretHash: overlap ? client.secretHash : null,
      previousSecretExpiresAt: overlap ? Date.now() + overlap * 1000 : null,
    })
    return secret
  }

  /**
   * Puts other redirect URIs in the place of a client's.
   *
   * @throws {InvalidArgumentsException} for a client that is unknown or revoked, and for a URI that is not acceptable
   */
  async changeRedirectUris(id: string, redirectUris: string[]): Promise<void> {
    redirectUris.forEach(assertRedirectUri)
    await this.#update(await this.#find(id), { redirectUris: [...new Set(redirectUris)] })
  }

  /**
   * Puts other logout URIs in the place of a client's (OpenID Connect). Its kind of
   * subject stays: clients know users by it.
   *
   * @throws {InvalidArgumentsException} for a client that is unknown or revoked, and for a URI that is not acceptable
   */
  async changeLogoutUris(
    id: string,
    uris: Pick<OpenIdRegistration, 'postLogoutRedirectUris' | 'backchannelLogoutUri'>
  ): Promise<void> {
    const client = await this.#find(id)
    const pairwiseSector = client.openid?.pairwiseSector ?? null
    const openid = toClientOpenId(uris, client)
    await this.#update(client, {
      openid:
        openid || pairwiseSector
          ? { postLogoutRedirectUris: [], backchannelLogoutUri: null, ...openid, pairwiseSector }
          : null,
    })
  }

  /** The metadata document of a client says what it is: changes here would be undone. */
  async #find(id: string): Promise<Client> {
    const client = await this.repository.find(id)
    if (!client || client.revoked) {
      throw new InvalidArgumentsException('There is no such client, or it is revoked')
    }
    if (client.source === 'document') {
      throw new InvalidArgumentsException('This client is described by its metadata document')
    }
    return client
  }

  async #update({ id }: Client, changes: ClientChanges) {
    if (!(await this.repository.update(id, changes))) {
      throw new InvalidArgumentsException('The client has been revoked meanwhile')
    }
  }
}
