import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/** Writes what somebody asked for earlier, in a transaction in which they still may. */
export type Commit = <Result>(
  write: (client: QueryClientContract) => Promise<Result>
) => Promise<Result>

/** The client of somebody's transaction, or the own one where that is another connection, whose rows it cannot write. */
export function within(client: QueryClientContract, own: QueryClientContract): QueryClientContract {
  return client.connectionName === own.connectionName ? client : own
}
