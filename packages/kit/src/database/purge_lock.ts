import type { QueryClientContract } from '@adonisjs/lucid/types/database'

/** Runs work while no other process of the application does; null when another one is at it. */
export type Turn = <Result>(work: () => Promise<Result>) => Promise<{ result: Result } | null>

const NAME = 'purge of expired rows'

/** A turn that processes on one database take one after another. It ends with its process. */
export function turnOn(client: () => QueryClientContract): Turn {
  return async (work) => {
    const { dialect } = client()
    const release =
      dialect.name === 'postgres'
        ? await takePostgresLock(client())
        : dialect.name === 'better-sqlite3'
          ? await takeFileLock(client())
          : () => {}
    if (!release) {
      return null
    }
    try {
      return { result: await work() }
    } finally {
      await release()
    }
  }
}

/** The lock belongs to a connection, which the pool hands to nobody else meanwhile. */
async function takePostgresLock(client: QueryClientContract) {
  const knex = client.getWriteClient().client
  const connection = await knex.acquireConnection()
  const ask = async (name: string) => {
    const { rows } = await connection.query(`SELECT ${name}(hashtext($1)) AS done`, [NAME])
    return rows[0].done as boolean
  }
  const giveBack = () => knex.releaseConnection(connection)
  try {
    if (await ask('pg_try_advisory_lock')) {
      return () => ask('pg_advisory_unlock').finally(giveBack)
    }
  } catch (error) {
    await giveBack()
    throw error
  }
  await giveBack()
  return null
}

/** SQLite's own lock on an empty file beside the database: one on it would hold up its writers. */
async function takeFileLock(client: QueryClientContract) {
  const { filename } = client.getWriteClient().client.connectionSettings
  if (!filename || filename === ':memory:') {
    return () => {}
  }
  const { default: Database } = await import('better-sqlite3')
  const file = new Database(`${filename}-purge`, { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
    return () => void file.close()
  } catch (error) {
    file.close()
    if ((error as { code?: string }).code === 'SQLITE_BUSY') {
      return null
    }
    throw error
  }
}
