import type { MaybePromise } from '#support/maybe_promise'
import type { Client } from '#oauth2/clients/client'

/** Where clients live. Methods may be sync or async. */
export interface ClientRepository {
  /** The client with this id, revoked or not. */
  find(id: string): MaybePromise<Client | null>

  /** The clients with these ids, in any order; unknown ones are left out. */
  findMany(ids: string[]): MaybePromise<Client[]>

  insert(client: Client): MaybePromise<void>

  /** Marks the client as revoked; false when it is unknown or already revoked. */
  revoke(id: string): MaybePromise<boolean>
}
