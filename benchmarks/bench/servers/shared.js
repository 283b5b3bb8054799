/* What the servers of the peers share: users, one client and signed-in browsers in SQLite. */

import { hash } from 'node:crypto'

import Database from 'better-sqlite3'

export const digest = (text) => hash('sha256', text, 'buffer')

export const KEY = Buffer.from('benchmark-benchmark-benchmark-benchmark')

/** WAL and synchronous=NORMAL, as this application has it. */
export function open(schema) {
  const db = new Database(process.env.SQLITE_FILE)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = NORMAL')
  db.exec(schema)
  return db
}

export const USERS = 'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT, active INTEGER);'

export function addUsers(db) {
  const insert = db.prepare('INSERT INTO users VALUES (?, ?, 1)')
  for (let id = 1; id <= 21; id++) {
    insert.run(id, `user${id}@bench.test`)
  }
}
