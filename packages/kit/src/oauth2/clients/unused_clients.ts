import { TimeBudget } from '#database/expired_rows'
import type { Client } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { TokenStore } from '#oauth2/tokens/token_store'

const HOUR = 3_600_000

/** How long a client that nobody here registered is kept after its last use, in milliseconds. */
const KEPT = 24 * HOUR

/** Clients that one round of a purge looks at. */
const BATCH = 50

/**
 * Deletes clients that nobody here registered, that were not used for a day and have nothing issued
 * to them. A use moves the instant of deletion before anything is issued, and a deletion is decided
 * by that instant when it happens: the client of what is issued stays.
 */
export class UnusedClients {
  constructor(
    protected repository: ClientRepository,
    protected tokens: TokenStore
  ) {}

  /** The instant at which a client that is used now is deleted, in epoch milliseconds. */
  static purgeAt(now: number): number {
    return now + KEPT
  }

  /** Notes, once an hour at most, that a client is being used; false when it has just been deleted. */
  async use({ id, purgeAt }: Client): Promise<boolean> {
    const now = Date.now()
    if (purgeAt === null || purgeAt > UnusedClients.purgeAt(now) - HOUR) {
      return true
    }
    return (await this.repository.keepUntil([id], UnusedClients.purgeAt(now))) > 0
  }

  /** Deletes unused clients and returns how many. It ends: every round changes all that it found. */
  async purge(now: number): Promise<number> {
    const budget = new TimeBudget()
    let deleted = 0
    while (!budget.isSpent) {
      const ids = await this.repository.findUnused(now, BATCH)
      if (!ids.length) {
        break
      }
      const used = new Set(await this.tokens.findClientsInUse(ids))
      if (used.size) {
        await this.repository.keepUntil([...used], UnusedClients.purgeAt(now))
      }
      const unused = ids.filter((id) => !used.has(id))
      deleted += await this.repository.deleteUnused(unused, now)
    }
    return deleted
  }
}
