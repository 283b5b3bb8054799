import { readdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import { BaseCheck, Result } from '@adonisjs/core/health'
import type { HealthCheckContract } from '@adonisjs/core/types/health'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { isLost } from '#database/sqlite'

/** Whether the newest migration has run, and the SQLite file is still there. */
export class SchemaCheck extends BaseCheck {
  readonly name = 'Database schema'
  #newest: string | null | undefined

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
      const newest = (this.#newest ??= await newestIn(this.folder))
      if (this.file !== null && isLost(this.file)) {
        return Result.failed('The SQLite file was deleted or replaced')
      }
      const migrations = this.client.from('adonis_schema').where('name', 'like', `%/${newest}`)
      return newest && !(await migrations.first())
        ? Result.failed(`The migration ${newest} has not run`)
        : Result.ok('The newest migration has run')
    } catch (error) {
      return Result.failed('The schema cannot be read', error as Error)
    }
  }
}

/** The name of the newest migration, if any. Upstream and forks name them by their date. */
async function newestIn(folder: string): Promise<string | null> {
  const files = await readdir(folder)
  const names = files.filter((file) => /^\d.*(?<!\.d)\.[jt]s$/.test(file)).sort()
  return names.at(-1)?.replace(/\.[jt]s$/, '') ?? null
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
