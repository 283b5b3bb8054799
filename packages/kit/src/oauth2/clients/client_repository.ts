import type { MaybePromise } from '#process/maybe_promise'
import type { Client, ClientChanges } from '#oauth2/clients/client'

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
   * Inserts a client as its metadata document describes it, or replaces an older
   * copy. What was decided here stays: whether it is revoked, and when it came.
   * A client of another source is left as it is.
   */
  saveDocument(client: Client): MaybePromise<void>

  /** Marks the client as revoked; false when it is unknown or already revoked. */
  revoke(id: string): MaybePromise<boolean>

  /**
   * Sets when clients are deleted that nobody here registered. Other clients are
   * left as they are.
   *
   * @returns how many of these clients are there
   */
  keepUntil(ids: string[], purgeAt: number): MaybePromise<number>

  /** Ids of clients whose `purgeAt` is at or before an instant, without revoked ones: they would come back. */
  findUnused(until: number, limit: number): MaybePromise<string[]>

  /**
   * Deletes clients, each only if its `purgeAt` is still at or before the instant.
   *
   * @returns how many were deleted
   */
  deleteUnused(ids: string[], until: number): MaybePromise<number>
}
