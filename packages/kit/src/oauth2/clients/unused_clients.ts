import { timeBudget } from '#database/expired_rows'
import type { Client } from '#oauth2/clients/client'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { TokenStore } from '#oauth2/tokens/token_store'

const HOUR = 3_600_000

/** How long a client that nobody here registered is kept after its last use, in milliseconds. */
const KEPT = 24 * HOUR

const BATCH = 50

/*
| Clients that nobody here registered, that were not used for a day and have nothing issued to them are
| deleted. A use moves the instant of deletion before anything is issued, and a deletion is decided by
| that instant when it happens: the client of what is issued stays.
*/

/** The instant at which a client that is used now is deleted, in epoch milliseconds. */
export const purgeAtOf = (now: number): number => now + KEPT

/** Notes, once an hour at most, that a client is being used; false when it has just been deleted. */
export async function useClient(repository: ClientRepository, { id, purgeAt }: Client) {
  const next = purgeAtOf(Date.now())
  const isRecent = purgeAt === null || purgeAt > next - HOUR
  return isRecent || (await repository.keepUntil([id], next)) > 0
}

/** Deletes unused clients and returns how many. It ends: every round changes all that it found. */
export async function purgeUnused(repository: ClientRepository, tokens: TokenStore, now: number) {
  const isSpent = timeBudget()
  let deleted = 0
  while (!isSpent()) {
    const ids = await repository.findUnused(now, BATCH)
    if (!ids.length) {
      break
    }
    const used = new Set(await tokens.findClientsInUse(ids))
    if (used.size) {
      await repository.keepUntil([...used], purgeAtOf(now))
    }
    const unused = ids.filter((id) => !used.has(id))
    deleted += await repository.deleteUnused(unused, now)
  }
  return deleted
}
