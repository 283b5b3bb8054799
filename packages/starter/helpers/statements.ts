import db from '@adonisjs/lucid/services/db'

/**
 * Runs something and returns the SQL statements that it made on the default connection.
 *
 * @param hear is told of each statement when it is run
 */
export async function recordStatements(
  run: () => Promise<unknown>,
  hear: (sql: string) => void = () => {}
): Promise<string[]> {
  const statements: string[] = []
  const client = db.connection().getWriteClient()
  const listener = ({ sql }: { sql: string }) => {
    statements.push(sql)
    hear(sql)
  }
  client.on('query', listener)
  try {
    await run()
  } finally {
    client.removeListener('query', listener)
  }
  return statements
}

/** The statements but those that begin and end transactions. */
export function withoutTransactions(statements: string[]): string[] {
  return statements.filter((sql) => !/^(begin|commit)\b/i.test(sql))
}

/**
 * How many statements find a row together with its user: one that joins both, or
 * two look-ups by key where SQLite answers at once.
 */
export function lookupStatements(): number {
  const { dialect, isTransaction } = db.connection()
  return dialect.name === 'better-sqlite3' && !isTransaction ? 2 : 1
}
