import type { MaybePromise } from '#process/maybe_promise'
import { Client, type ClientChanges } from '#oauth2/clients/client'

/** Where clients live. Methods may be sync or async, and are atomic. */
export interface ClientRepository {
  /** The client with this id, revoked or not. */
  find(id: string): MaybePromise<Client | null>

  /** The clients with these ids, in any order; unknown ones are left out. */
  findMany(ids: string[]): MaybePromise<Client[]>

  /** Every client, the newest first. */
  list(): MaybePromise<Client[]>

  insert(client: Client): MaybePromise<void>

  /** Changes a client; false when it is unknown or revoked. */
  update(id: string, changes: ClientChanges): MaybePromise<boolean>

  /**
   * Inserts a client as its metadata document describes it, or replaces an older copy, but for
   * `revoked` and `createdAt`. A client of another source is left as it is.
   */
  saveDocument(client: Client): MaybePromise<void>

  /** Marks the client as revoked; false when it is unknown or already revoked. */
  revoke(id: string): MaybePromise<boolean>

  /** Sets when clients are deleted that nobody here registered, and returns how many of these there are. */
  keepUntil(ids: string[], purgeAt: number): MaybePromise<number>

  /** Ids of clients whose `purgeAt` is at or before an instant, without revoked ones: they would come back. */
  findUnused(until: number, limit: number): MaybePromise<string[]>

  /** Deletes clients, each only if its `purgeAt` is still at or before the instant, and returns how many. */
  deleteUnused(ids: string[], until: number): MaybePromise<number>
}

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

  insert(client: Client) {
    this.#clients.set(client.id, client)
  }

  update(id: string, changes: ClientChanges & { revoked?: true }) {
    const client = this.find(id)
    if (!client || client.revoked) {
      return false
    }
    this.insert(new Client({ ...client, ...changes }))
    return true
  }

  saveDocument(client: Client) {
    const { source, revoked, createdAt } = this.find(client.id) ?? client
    if (source === 'document') {
      this.insert(new Client({ ...client, revoked, createdAt }))
    }
  }

  revoke(id: string) {
    return this.update(id, { revoked: true })
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
