import { hash } from 'node:crypto'

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { BoundedMap } from '#process/bounded_map'
import type { Row } from '#database/direct_connection'

/** Names of statements by their text. Every connection keeps its own plan for each of them. */
const names = new BoundedMap<string, string>(200)

/**
 * Whether statements of a client can be prepared by name: PostgreSQL's, outside of
 * transactions, where a plan that no longer fits would end the transaction.
 */
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
  return (rows ?? []) as Row[]
}

/** The same in every process, so that processes can share connections through a pooler. */
function nameOf(sql: string): string {
  let name = names.get(sql)
  if (name === undefined) {
    name = hash('sha256', sql, 'base64url').slice(0, 32)
    names.set(sql, name)
  }
  return name
}

/** "cached plan must not change result type" */
function isOutdated(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string }
  return code === '0A000' && message !== undefined && message.includes('cached plan')
}
