import type { Database } from '@adonisjs/lucid/database'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

const guarded = new WeakSet<object>()

/**
 * Makes a transaction whose COMMIT fails reject. Knex resolves `commit()` all the
 * same and rejects `executionPromise` alone, so what a full disk or a broken
 * connection has undone would be answered with success. One whose BEGIN fails
 * rejects for the same reason: its first statement would hide why.
 */
export function reportFailedCommits(db: Database): void {
  /* Lucid exports no class of its clients. This opens no connection. */
  const clients = Object.getPrototypeOf(db.connection()) as { transaction: Function }
  if (guarded.has(clients)) {
    return
  }
  guarded.add(clients)
  const begin = clients.transaction
  clients.transaction = async function (work?: unknown, options?: object) {
    return typeof work === 'function'
      ? begin.call(this, async (trx: TransactionClientContract) => work(await guard(trx)), options)
      : guard(await begin.call(this, work, options))
  }
}

async function guard(trx: TransactionClientContract): Promise<TransactionClientContract> {
  const { knexClient } = trx
  trx.isCompleted && (await knexClient.executionPromise)
  const commit = knexClient.commit.bind(knexClient)
  const settle = async (value?: unknown) => {
    await commit(value)
    await knexClient.executionPromise
  }
  knexClient.commit = settle as unknown as typeof knexClient.commit
  return trx
}
