import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { type Program, type Query, changeRows, runProgram } from '#database/raw_query'

/* Statements of every token request, bypassing the query builder. RETURNING tells how many rows changed. */

export const isPostgres = (client: QueryClientContract) => client.dialect.name === 'postgres'

/** Holds while a grant is not revoked, and on PostgreSQL makes its revocation wait. Takes the id. */
export function grantLives(client: QueryClientContract, more = ''): string {
  const lock = isPostgres(client) ? 'FOR SHARE' : ''
  return `EXISTS (SELECT 1 FROM oauth_grants WHERE id = ? AND revoked_at IS NULL ${more} ${lock})`
}

/** What is issued under a grant needs it alive. */
export function underGrant(client: QueryClientContract, grantId: string | null): Query {
  return grantId === null
    ? { sql: '', bindings: [] }
    : { sql: `AND ${grantLives(client)}`, bindings: [grantId] }
}

/** Where a statement runs only after another one that has changed something. */
export type Guarded = (condition: Query | undefined) => Query

/**
 * Runs a statement, and if it has changed a row, others with it: all or nothing. On PostgreSQL they
 * are one statement, which saves the round trips of a transaction. Its parts see the tables as they
 * were, so none may depend on what another one has written.
 * @returns whether the first statement has changed a row
 */
export async function runGuarded(client: QueryClientContract, guard: Query, guarded: Guarded[]) {
  if (!guarded.length) {
    const rows = await changeRows(client, guard)
    return rows.length > 0
  }
  if (!isPostgres(client)) {
    return runProgram(client, () => inTurn(guard, guarded))
  }
  const isHeld = { sql: 'EXISTS (SELECT 1 FROM guard)', bindings: [] }
  const parts = guarded.map((make) => make(isHeld))
  const ctes = parts.map(({ sql }, index) => `, part_${index} AS (${sql})`).join('')
  const [row] = await changeRows(client, {
    sql: `WITH guard AS (${guard.sql})${ctes} SELECT 1 FROM guard`,
    bindings: [guard, ...parts].flatMap(({ bindings }) => bindings),
  })
  return row !== undefined
}

function* inTurn(guard: Query, guarded: Guarded[]): Program<boolean> {
  const rows = yield guard
  if (!rows.length) {
    return false
  }
  for (const make of guarded) {
    yield make(undefined)
  }
  return true
}
