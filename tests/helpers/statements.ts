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
