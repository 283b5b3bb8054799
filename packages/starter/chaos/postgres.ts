import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { Cluster } from './cluster.js'
import type { Fault, TestedDatabase } from './database.js'
import { Proxy } from './proxy.js'

const DATABASE = 'chaos_test'

/** A PostgreSQL server of the run's own, or else a database on the one that is configured, behind a proxy. */
export class PostgresDatabase implements TestedDatabase {
  readonly name = 'PostgreSQL'
  readonly notes: string[] = []

  private constructor(
    readonly cluster: Cluster | null,
    readonly proxy: Proxy,
    readonly settings: pg.ClientConfig
  ) {
    if (!cluster) {
      this.notes.push('kill -9 of PostgreSQL is left out: no "initdb" that this user may run.')
    }
  }

  static async create(folder: string): Promise<PostgresDatabase> {
    const cluster = await Cluster.create(folder)
    const { DB_HOST = '127.0.0.1', DB_PORT = '5432', DB_USER, DB_PASSWORD } = process.env
    const settings = cluster
      ? { host: '127.0.0.1', port: cluster.port, user: 'postgres' }
      : { host: DB_HOST, port: Number(DB_PORT), user: DB_USER ?? 'postgres', password: DB_PASSWORD }
    const proxy = new Proxy(settings)
    await proxy.open()
    return new PostgresDatabase(cluster, proxy, settings)
  }

  get env(): Record<string, string> {
    return {
      DB_CONNECTION: 'pg',
      DB_HOST: '127.0.0.1',
      DB_PORT: String(this.proxy.port),
      DB_USER: this.settings.user!,
      DB_DATABASE: DATABASE.replace('_test', ''),
    }
  }

  faults(): Fault[] {
    const faults: Fault[] = [
      { name: 'every connection is terminated', run: (ms) => this.#terminate(ms) },
      { name: 'the network is cut', run: (ms) => this.#cut(ms) },
      { name: 'the network loses every packet', run: (ms) => this.#silence(ms) },
      { name: 'the database is read-only', run: (ms) => this.#protect(ms) },
    ]
    if (this.cluster) {
      faults.push({ name: 'kill -9 of PostgreSQL', run: (ms) => this.#kill(ms) })
    }
    return faults
  }

  async countRows(query: string): Promise<number> {
    const { rowCount } = await this.#query(query, DATABASE)
    return rowCount ?? 0
  }

  async close(): Promise<void> {
    await this.proxy.cut()
    if (this.cluster) {
      await this.cluster.stop()
    } else {
      await this.#query(`DROP DATABASE IF EXISTS ${DATABASE}`)
    }
  }

  async #terminate(milliseconds: number) {
    const end = performance.now() + milliseconds
    while (performance.now() < end) {
      await this.#endConnections()
      await sleep(milliseconds / 5)
    }
  }

  async #cut(milliseconds: number) {
    await this.proxy.cut()
    await sleep(milliseconds)
    await this.proxy.open()
  }

  async #silence(milliseconds: number) {
    this.proxy.silence()
    await sleep(milliseconds)
    this.proxy.speak()
  }

  async #protect(milliseconds: number) {
    const setting = 'default_transaction_read_only'
    await this.#query(`ALTER DATABASE ${DATABASE} SET ${setting} = on`)
    await this.#endConnections()
    await sleep(milliseconds)
    await this.#query(`ALTER DATABASE ${DATABASE} RESET ${setting}`)
    await this.#endConnections()
  }

  async #kill(milliseconds: number) {
    await this.cluster!.kill()
    await sleep(milliseconds)
    await this.cluster!.start()
  }

  #endConnections() {
    return this.#query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${DATABASE}'`
    )
  }

  async #query(sql: string, database = 'postgres') {
    const client = new pg.Client({ ...this.settings, database })
    await client.connect()
    try {
      return await client.query(sql)
    } finally {
      await client.end()
    }
  }
}
