import { hash } from 'node:crypto'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import {
  atOnce,
  commitTogether,
  type DirectConnection,
  type Row,
} from '#database/direct_connection'
import { BoundedMap } from '#process/bounded_map'
import { remembered } from '#process/remembered'

/* Statements of every request, bypassing the query builder: on SQLite straight to the driver. */
export interface Query {
  sql: string
  bindings: unknown[]
}

/** Statements that depend on the rows of those before, and what comes of them: `const rows = yield { sql, bindings }`. */
export type Program<Result> = Generator<Query, Result, Row[]>

/** Runs a SELECT, or a rare statement with RETURNING. */
export async function selectRows(client: QueryClientContract, sql: string, bindings: unknown[]) {
  const done = atOnce(client, (connection) => connection.run(sql, bindings))
  return done ? done.result : ask(client, sql, bindings)
}

/** Runs a statement with RETURNING that many requests make: on SQLite they share a commit. */
export async function changeRows(client: QueryClientContract, { sql, bindings }: Query) {
  const done = await commitTogether(client, (connection) => connection.run(sql, bindings))
  return done ? done.result : ask(client, sql, bindings)
}

/**
 * Runs a program in one transaction: on SQLite at once, so that the write lock is held for a moment
 * only. It may be started anew, so it must change nothing but the database.
 */
export async function runProgram<Result>(
  client: QueryClientContract,
  program: () => Program<Result>
): Promise<Result> {
  const done = await commitTogether(client, (connection) => runAtOnce(connection, program()))
  return done ? done.result : client.transaction((trx) => runInTurn(trx, program()))
}

/** The number of rows that an UPDATE or DELETE of the query builder has changed. */
export function affectedRows(result: unknown): number {
  return Number(Array.isArray(result) ? (result[0] ?? 0) : result)
}

function runAtOnce<Result>(connection: DirectConnection, program: Program<Result>): Result {
  let step = program.next()
  while (!step.done) {
    step = program.next(connection.run(step.value.sql, step.value.bindings))
  }
  return step.value
}

async function runInTurn<Result>(client: QueryClientContract, program: Program<Result>) {
  let step = program.next()
  while (!step.done) {
    step = program.next(await ask(client, step.value.sql, step.value.bindings))
  }
  return step.value
}

async function ask(client: QueryClientContract, sql: string, bindings: unknown[]): Promise<Row[]> {
  if (canName(client)) {
    return runNamed(client, sql, bindings)
  }
  const result = await client.rawQuery(sql, bindings as any[])
  return Array.isArray(result) ? result : (result.rows ?? [])
}

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

/** Names of statements by their text. Every connection keeps its own plan for each of them. */
const names = new BoundedMap<string, string>(200)

/** The same in every process, so that processes can share connections through a pooler. */
const nameOf = remembered((sql) => hash('sha256', sql, 'base64url').slice(0, 32), names)

/** Whether statements can be prepared by name: on PostgreSQL, outside of transactions, which a plan that no longer fits would end. */
export function canName(client: QueryClientContract): boolean {
  return !client.isTransaction && client.dialect.name === 'postgres'
}

/** Runs a statement that each connection parses and plans once. Its text must be one of few. */
export async function runNamed(
  client: QueryClientContract,
  sql: string,
  bindings: unknown[]
): Promise<Row[]> {
  try {
    return await run(client, sql, bindings, nameOf(sql))
  } catch (error) {
    if (!isOutdated(error)) {
      throw error
    }
    /* A migration has changed the columns of the answer. Nothing has been run. */
    names.set(sql, `${nameOf(sql)}+`)
    return run(client, sql, bindings, nameOf(sql))
  }
}

async function run(client: QueryClientContract, sql: string, bindings: unknown[], name: string) {
  const query = client.rawQuery(sql, bindings as any[])
  query.knexQuery.options({ name })
  const { rows } = await query
  return rows as Row[]
}

/** "cached plan must not change result type" */
function isOutdated(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '0A000' && message !== undefined && message.includes('cached plan')
}
