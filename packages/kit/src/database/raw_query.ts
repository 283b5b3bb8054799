import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { type DirectConnection, type Row, atOnce } from '#database/direct_connection'
import { commitTogether } from '#database/group_commit'
import { canName, runNamed } from '#database/named_statements'

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
