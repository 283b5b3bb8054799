import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/**
 * Runs a SELECT, or a statement with RETURNING, bypassing the query builder, and
 * returns its rows. For statements that run on every request.
 */
export async function selectRows(
  client: QueryClientContract,
  sql: string,
  bindings: unknown[]
): Promise<Record<string, unknown>[]> {
  const result = await client.rawQuery(sql, bindings as any[])
  return Array.isArray(result) ? result : result.rows
}

/** The number of rows that an UPDATE or DELETE of the query builder has changed. */
export function affectedRows(result: unknown): number {
  return Number(Array.isArray(result) ? (result[0] ?? 0) : result)
}
