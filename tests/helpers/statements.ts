import db from '@adonisjs/lucid/services/db'

/** Runs something and returns the SQL statements that it made on the default connection. */
export async function recordStatements(run: () => Promise<unknown>): Promise<string[]> {
  const statements: string[] = []
  const client = db.connection().getWriteClient()
  const listener = ({ sql }: { sql: string }) => statements.push(sql)
  client.on('query', listener)
  try {
    await run()
  } finally {
    client.removeListener('query', listener)
  }
  return statements
}

/**
 * How many statements find a row together with its user: one that joins both, or
 * two look-ups by key where SQLite answers at once.
 */
export function lookupStatements(): number {
  const { dialect, isTransaction } = db.connection()
  return dialect.name === 'better-sqlite3' && !isTransaction ? 2 : 1
}
