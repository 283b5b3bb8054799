import { setTimeout as sleep } from 'node:timers/promises'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { affectedRows } from '#support/raw_query'

/** Rows that one statement deletes. */
const BATCH = { first: 100, min: 10, max: 500 }

/** Milliseconds that a statement may take: on SQLite the whole process waits for it. */
const PATIENCE = 5

/** Milliseconds after which a run ends; the next one goes on. */
const BUDGET = 30_000

export interface DeletableRows {
  table: string
  /** Column of the primary key. */
  key: string
  /** SQL condition of the rows to delete, whose table has the alias `t`. An index must serve it. */
  where: string
  bindings: (string | number)[]
}

/**
 * Deletes rows in small batches, each in a statement of its own, and rests
 * between them for as long as the last one took: requests go on meanwhile, and
 * no lock is held for long.
 *
 * On PostgreSQL, rows that someone has locked are left for the next run, so
 * that a purge waits for nobody.
 *
 * @param budget milliseconds after which it stops, with rows left
 * @returns how many rows were deleted
 */
export async function deleteRows(
  client: QueryClientContract,
  rows: DeletableRows,
  budget: number = BUDGET
): Promise<number> {
  const begun = performance.now()
  let total = 0
  let size = BATCH.first
  for (;;) {
    const start = performance.now()
    const deleted = await deleteBatch(client, rows, size)
    const end = performance.now()
    total += deleted
    if (deleted < size || end - begun > budget) {
      return total
    }
    size = nextSize(size, end - start)
    await sleep(end - start)
  }
}

/** Disks differ by orders of magnitude, so the size follows what the last batch took. */
function nextSize(size: number, took: number) {
  const fitting = Math.round((size * PATIENCE) / took)
  return Math.min(Math.max(fitting, BATCH.min), size * 2, BATCH.max)
}

async function deleteBatch(
  client: QueryClientContract,
  { table, key, where, bindings }: DeletableRows,
  size: number
) {
  const lock = client.dialect.name === 'postgres' ? 'FOR UPDATE OF t SKIP LOCKED' : ''
  const batch = client.raw(`SELECT t.${key} FROM ${table} t WHERE ${where} LIMIT ? ${lock}`, [
    ...bindings,
    size,
  ])
  return affectedRows(
    await client
      .from(table)
      .whereIn(key, batch as any)
      .delete()
  )
}
