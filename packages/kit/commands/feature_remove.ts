import { execFile } from 'node:child_process'
import { readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'

import { args, flags } from '@adonisjs/core/ace'

import { KitCommand, assertCommand } from '#process/kit_command'

export default class FeatureRemove extends KitCommand {
  static commandName = 'feature:remove'
  static description = 'Take features out of the application, with everything that is theirs'
  static help = [
    'Shows what will be deleted and changed, and asks. Commit before, and read the diff after it:',
    '```',
    '{{ binaryName }} feature:remove passkeys two_factor',
    '```',
  ]

  @args.spread({ description: 'Names of features, e.g. "oauth2"', required: false })
  declare names: string[]

  @flags.boolean({ description: 'Do not ask, also where changes are not committed' })
  declare yes: boolean

  async run() {
    const { planRemoval, removedFeatures, select } = await import('#removal/removal')
    this.assertSources()
    const rcFile = await readFile(this.app.makePath('adonisrc.ts'), 'utf8')
    const names = select(this.names ?? [], removedFeatures(rcFile))
    const { files, byHand } = planRemoval(this.app.makePath(), names, await this.#ran())
    this.logger.info(`Goes: ${names.join(', ')}`)
    for (const [path, text] of files) {
      this.logger.log(`  ${text === null ? 'delete' : 'write'} ${path}`)
    }
    const canAsk = this.yes || process.stdin.isTTY
    assertCommand(canAsk, 'Nobody can be asked here: "--yes" takes this out')
    if (!this.yes) {
      await this.#assertCommitted([...files.keys()])
      if (!(await this.prompt.confirm('Take this out?'))) {
        return this.logger.info('Nothing has changed.')
      }
    }
    for (const [path, text] of files) {
      const file = this.app.makePath(path)
      await (text === null ? rm(file) : writeFile(file, text))
      /* Folders that are empty now; one that is not says so. */
      await rmdir(dirname(file)).catch(() => {})
    }
    byHand.forEach((code) => this.logger.warning(`This still needs what is gone: ${code}`))
    this.logger.success(
      'Read the diff. Then run "npm run format", "npm install", "node ace migration:run", "npm run typecheck" and "npm test".'
    )
  }

  /** What git cannot bring back. Where there is no repository, or no git, nothing is known of it. */
  async #assertCommitted(paths: string[]) {
    const git = ['status', '--porcelain', '--no-renames', '--', ...paths]
    const root = this.app.makePath()
    const { stdout } = await promisify(execFile)('git', git, { cwd: root }).catch(() => ({
      stdout: '',
    }))
    const changed = stdout.split('\n').flatMap((line) => line.slice(3) || [])
    const some = [...changed.slice(0, 3), ...(changed.length > 3 ? ['…'] : [])].join(', ')
    assertCommand(
      changed.length === 0,
      `Not committed: ${some}. Commit it, so that git can bring it back, or pass "--yes"`
    )
  }

  async #ran(): Promise<Set<string>> {
    try {
      await this.app.boot()
      const db = await this.app.container.make('lucid.db')
      const { MigrationRunner } = await import('@adonisjs/lucid/migration')
      const runner = new MigrationRunner(db, this.app, { direction: 'up' })
      const known = await runner.getList()
      return new Set(known.flatMap(({ name, status }) => (status === 'migrated' ? name : [])))
    } catch (failure) {
      return this.fail(
        `The database cannot be asked which migrations it has (${(failure as Error).message}). Start the application once, with "npm run dev": it writes .env and makes the database.`
      )
    }
  }
}
