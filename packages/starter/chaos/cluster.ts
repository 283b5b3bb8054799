import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

import { freePort } from '#starter/helpers/server_process'

const INSTALLED = '/usr/lib/postgresql'

/** The folder of PostgreSQL's own programs, or null: many systems keep them out of the PATH. */
function findPrograms(): string | null {
  const versions = existsSync(INSTALLED) ? readdirSync(INSTALLED) : []
  const folders = [
    ...(process.env.PATH ?? '').split(':'),
    ...versions.map((version) => join(INSTALLED, version, 'bin')),
  ]
  return (
    folders.find((folder) =>
      ['initdb', 'postgres'].every((name) => existsSync(join(folder, name)))
    ) ?? null
  )
}

/** PostgreSQL refuses to run as root: then it runs as the user "postgres". */
function findOwner(): { uid: number; gid: number } | null | undefined {
  if (process.getuid?.() !== 0) {
    return undefined
  }
  const ids = ['-u', '-g'].map((flag) =>
    Number(spawnSync('id', [flag, 'postgres']).stdout || Number.NaN)
  )
  return ids.every((id) => id > 0) ? { uid: ids[0]!, gid: ids[1]! } : null
}

/** A PostgreSQL server of the run's own, which can be killed. */
export class Cluster {
  #server: ChildProcess | undefined

  private constructor(
    readonly programs: string,
    readonly owner: { uid: number; gid: number } | undefined,
    readonly folder: string,
    readonly port: number
  ) {}

  /** Null where PostgreSQL is not installed, or nobody may run it. */
  static async create(parent: string): Promise<Cluster | null> {
    const programs = findPrograms()
    const owner = findOwner()
    if (!programs || owner === null) {
      return null
    }
    if (owner) {
      chownSync(parent, owner.uid, owner.gid)
    }
    const folder = join(parent, 'postgres')
    const made = spawnSync(
      join(programs, 'initdb'),
      ['-D', folder, '-U', 'postgres', '-A', 'trust', '--no-sync'],
      { ...owner, cwd: parent, encoding: 'utf8' }
    )
    if (made.status !== 0) {
      throw new Error(`initdb failed: ${made.stderr}`)
    }
    const cluster = new Cluster(programs, owner, folder, await freePort())
    await cluster.start()
    return cluster
  }

  async start(): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      /* It refuses to start while children of a server that was killed are still running. */
      if (!this.#server || hasEnded(this.#server)) {
        this.#spawn()
      }
      if (await this.#answers()) {
        return
      }
      await sleep(50)
    }
    throw new Error('PostgreSQL does not start')
  }

  /** `kill -9`: its children notice that it is gone, and end. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  stop(): Promise<void> {
    return this.#end('SIGINT')
  }

  async #end(signal: NodeJS.Signals) {
    const server = this.#server!
    if (!hasEnded(server)) {
      server.kill(signal)
      await once(server, 'exit')
    }
  }

  #spawn() {
    const settings = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      /* A killed process loses nothing that it has written: only a machine that stops does. */
      'fsync=off',
    ]
    const args = ['-D', this.folder, ...settings.flatMap((setting) => ['-c', setting])]
    const options = { ...this.owner, cwd: this.folder, stdio: 'ignore' as const }
    this.#server = spawn(join(this.programs, 'postgres'), args, options)
  }

  async #answers(): Promise<boolean> {
    const [user, database] = ['postgres', 'postgres']
    const client = new pg.Client({ host: '127.0.0.1', port: this.port, user, database })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.end()
      return true
    } catch {
      return false
    }
  }
}

function hasEnded({ exitCode, signalCode }: ChildProcess) {
  return exitCode !== null || signalCode !== null
}
