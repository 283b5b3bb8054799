import { readdir } from 'node:fs/promises'
import { parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { BaseCheck, Result } from '@adonisjs/core/health'
import type { HealthCheckContract } from '@adonisjs/core/types/health'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { isLost } from '#database/sqlite'

/** Whether every migration has run, and the SQLite file is still there. */
export class SchemaCheck extends BaseCheck {
  readonly name = 'Database schema'
  #migrations: string[] | undefined

  /** @param file the SQLite file; null for another database */
  constructor(
    protected readonly client: QueryClientContract,
    protected readonly folder: string,
    protected readonly file: string | null
  ) {
    super()
  }

  async run() {
    try {
      const migrations = (this.#migrations ??= await migrationsIn(this.folder))
      if (this.file !== null && isLost(this.file)) {
        return Result.failed('The SQLite file was deleted or replaced')
      }
      const rows = await this.client.from('adonis_schema').select('name')
      const run = new Set(rows.map(({ name }) => parse(name).base))
      const pending = migrations.find((name) => !run.has(name))
      return pending
        ? Result.failed(`The migration ${pending} has not run`)
        : Result.ok('Every migration has run')
    } catch (error) {
      return Result.failed('The schema cannot be read', error as Error)
    }
  }
}

/** Names, which begin with their date. One of upstream may be older than a fork's, and come after it. */
async function migrationsIn(folder: string): Promise<string[]> {
  const files = await readdir(folder)
  return files.filter((file) => /^\d.*(?<!\.d)\.[jt]s$/.test(file)).map((file) => parse(file).name)
}

/**
 * A check that fails without an answer in time: a server that is paused, or a network that swallows
 * every packet, makes no error for much longer.
 * @param patience milliseconds, fewer than a load balancer waits
 */
export function timely(check: HealthCheckContract, patience = 3000): HealthCheckContract {
  const late = () => sleep(patience, Result.failed('It does not answer in time'), { ref: false })
  return { name: check.name, run: () => Promise.race([check.run(), late()]) }
}
