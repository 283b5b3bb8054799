import { Client, type ClientChanges } from '#oauth2/clients/client'
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

  list() {
    return [...this.#clients.values()].sort((a, b) => b.createdAt - a.createdAt)
  }

  update(id: string, changes: ClientChanges) {
    const client = this.#clients.get(id)
    if (!client || client.revoked) {
      return false
    }
    this.insert(new Client({ ...client, ...changes }))
    return true
  }

  insert(client: Client) {
    this.#clients.set(client.id, client)
  }

  saveDocument(client: Client) {
    const known = this.#clients.get(client.id)
    if (!known) {
      this.insert(client)
    } else if (known.source === 'document') {
      const { revoked, createdAt } = known
      this.insert(new Client({ ...client, revoked, createdAt }))
    }
  }

  revoke(id: string) {
    const client = this.#clients.get(id)
    if (!client || client.revoked) {
      return false
    }
    this.insert(new Client({ ...client, revoked: true }))
    return true
  }

  keepUntil(ids: string[], purgeAt: number) {
    const clients = this.findMany(ids).filter((client) => client.purgeAt !== null)
    clients.forEach((client) => this.insert(new Client({ ...client, purgeAt })))
    return clients.length
  }

  findUnused(until: number, limit: number) {
    return [...this.#clients.values()]
      .filter((client) => isUnused(client, until))
      .slice(0, limit)
      .map(({ id }) => id)
  }

  deleteUnused(ids: string[], until: number) {
    const unused = this.findMany(ids).filter((client) => isUnused(client, until))
    unused.forEach(({ id }) => this.#clients.delete(id))
    return unused.length
  }
}

function isUnused({ purgeAt, revoked }: Client, until: number) {
  return purgeAt !== null && purgeAt <= until && !revoked
}
