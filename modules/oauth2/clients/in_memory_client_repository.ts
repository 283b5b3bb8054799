import { Client } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'

/** Clients that live in the process: for tests and demos. */
export class InMemoryClientRepository implements ClientRepository {
  readonly #clients = new Map<string, Client>()

  find(id: string) {
    return this.#clients.get(id) ?? null
  }

  findMany(ids: string[]) {
    return ids.flatMap((id) => this.#clients.get(id) ?? [])
  }

  insert(client: Client) {
    this.#clients.set(client.id, client)
  }

  revoke(id: string) {
    const client = this.#clients.get(id)
    if (!client || client.revoked) {
      return false
    }
    const { name, secretHash, redirectUris, grantTypes, scopes, provider, createdAt } = client
    this.#clients.set(
      id,
      new Client({
        id,
        name,
        secretHash,
        redirectUris,
        grantTypes,
        scopes,
        provider,
        createdAt,
        revoked: true,
      })
    )
    return true
  }
}
