import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { DirectConnection, atOnce } from '#database/direct_connection'
import { ofNoSpan, ofThisSpan } from '#process/spans'

interface Job {
  work: (connection: DirectConnection) => unknown
  resolve: (done: { result: any } | null) => void
  reject: (error: unknown) => void
}

/** Jobs of one transaction at most: requests wait while it runs. */
const LIMIT = 50

/** The jobs of each database that wait for the end of this turn of the event loop. */
const waiting = new WeakMap<object, Job[]>()

/**
 * Does work in a transaction, together with the work of the other requests that have arrived in the
 * same turn of the event loop: a commit takes longer than the statements of a request, and SQLite
 * writes a page once for all of them. Nobody hears of a result before it is committed.
 *
 * When any of the work throws, nothing of the transaction is left, and each is done again in a
 * transaction of its own. So work changes nothing but the database.
 *
 * @returns null when the work cannot be done at once; see `atOnce`. Nothing has been changed then.
 */
export async function commitTogether<Result>(
  client: QueryClientContract,
  work: (connection: DirectConnection) => Result
): Promise<{ result: Result } | null> {
  if (!DirectConnection.of(client)) {
    return null
  }
  return new Promise((resolve, reject) =>
    enqueue(client, { work: ofThisSpan(work), resolve, reject })
  )
}

function enqueue(client: QueryClientContract, job: Job) {
  const database = client.getReadClient()
  if (waiting.get(database)?.push(job)) {
    return
  }
  const fresh = [job]
  waiting.set(database, fresh)
  setImmediate(() => {
    waiting.delete(database)
    ofNoSpan(() => {
      for (let index = 0; index < fresh.length; index += LIMIT) {
        commit(client, fresh.slice(index, index + LIMIT))
      }
    })
  })
}

function commit(client: QueryClientContract, jobs: Job[]) {
  try {
    const done = atOnce(client, (connection) =>
      connection.transaction(() => jobs.map(({ work }) => work(connection)))
    )
    jobs.forEach(({ resolve }, index) => resolve(done && { result: done.result[index] }))
  } catch (error) {
    if (jobs.length === 1) {
      jobs[0]!.reject(error)
    } else {
      jobs.forEach((job) => commit(client, [job]))
    }
  }
}
