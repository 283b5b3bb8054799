import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { changeRows } from '#database/raw_query'

/** Notes when a row was last used, unless that was noted after `before` (epoch milliseconds). */
export async function recordLastUse(
  client: QueryClientContract,
  { table, key }: { table: string; key: string },
  id: string,
  now: number,
  before: number
) {
  await changeRows(client, {
    sql: `UPDATE ${table} SET last_used_at = ?
      WHERE ${key} = ? AND (last_used_at IS NULL OR last_used_at <= ?) RETURNING 1 AS updated`,
    bindings: [now, id, before],
  })
}
