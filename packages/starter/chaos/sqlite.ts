import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import Database from 'better-sqlite3'

import type { Chaos, Fault, TestedDatabase } from './database.js'
import type { Servers } from './servers.js'
import { SmallDisk } from './small_disk.js'

/** Bytes that no file of the database may outgrow: its log has to. */
const FILE_LIMIT = 4096

/** Milliseconds that the servers wait for a lock, at least. */
const PATIENCE = 2500

/** An SQLite file, on a disk of its own where this process may mount one. */
export class SqliteDatabase implements TestedDatabase {
  readonly name = 'SQLite'
  readonly env: Record<string, string>
  readonly notes: string[] = []
  readonly #disk: SmallDisk | null
  readonly #file: string

  constructor(folder: string) {
    this.#disk = SmallDisk.mount(join(folder, 'disk'))
    const file = join(folder, 'disk', 'db.sqlite3')
    this.env = { DB_CONNECTION: 'sqlite', SQLITE_FILE: file }
    this.#file = file.replace('.sqlite3', '_test.sqlite3')
  }

  faults({ servers }: Chaos): Fault[] {
    const faults: Fault[] = [
      { name: 'another process holds the lock', run: (ms) => this.#holdLock(ms) },
    ]
    if (this.#disk || servers.limitFiles('unlimited')) {
      faults.push({ name: 'the disk is full', run: (ms) => this.#fillDisk(servers, ms) })
    } else {
      this.notes.push('A full disk is left out: neither mount nor prlimit is allowed here.')
    }
    if (this.#disk || process.getuid?.() !== 0) {
      faults.push({ name: 'the file is read-only', run: (ms) => this.#protect(servers, ms) })
    } else {
      this.notes.push('A read-only file is left out: root may write it, and mount is not allowed.')
    }
    return faults
  }

  countRows(query: string): Promise<number> {
    const database = new Database(this.#file)
    try {
      const [integrity] = database.pragma('integrity_check') as { integrity_check: string }[]
      if (integrity!.integrity_check !== 'ok') {
        throw new Error(`The database is damaged: ${integrity!.integrity_check}`)
      }
      return Promise.resolve(database.prepare(query).all().length)
    } finally {
      database.close()
    }
  }

  async close(): Promise<void> {
    this.#disk?.unmount()
  }

  async #holdLock(milliseconds: number) {
    const holder = new Database(this.#file, { timeout: 10_000 })
    holder.exec('BEGIN IMMEDIATE')
    await sleep(PATIENCE + milliseconds)
    holder.exec('COMMIT')
    holder.close()
  }

  async #fillDisk(servers: Servers, milliseconds: number) {
    if (this.#disk) {
      this.#disk.fill()
      await sleep(milliseconds)
      this.#disk.free()
    } else {
      servers.limitFiles(FILE_LIMIT)
      await sleep(milliseconds)
      servers.limitFiles('unlimited')
    }
  }

  /** Files that are open for writing cannot be protected: the servers meet it when they start. */
  async #protect(servers: Servers, milliseconds: number) {
    await servers.stop()
    this.#setWritable(false)
    await servers.start()
    await sleep(milliseconds)
    this.#setWritable(true)
  }

  #setWritable(isWritable: boolean) {
    if (this.#disk) {
      this.#disk.setWritable(isWritable)
    } else {
      chmodSync(this.#file, isWritable ? 0o644 : 0o444)
    }
  }
}
