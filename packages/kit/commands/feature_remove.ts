import { existsSync } from 'node:fs'
import { rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { args, flags } from '@adonisjs/core/ace'

import type { planRemoval } from '#removal/removal'
import { KitCommand } from '#process/kit_command'

/** Takes features out of the application. */
export default class FeatureRemove extends KitCommand {
  static commandName = 'feature:remove'
  static description = 'Take features out of the application, with everything that is theirs'
  static help = [
    'Shows what will be deleted and changed, and asks. Commit before, and read the diff after it:',
    '```',
    '{{ binaryName }} feature:remove passkeys two_factor',
    '{{ binaryName }} feature:remove posts --yes',
    '```',
  ]

  @args.spread({ description: 'Names of features, e.g. "oauth2"', required: false })
  declare names: string[]

  @flags.boolean({ description: 'Do not ask' })
  declare yes: boolean

  async run() {
    const { planRemoval: plan, select } = await import('#removal/removal')
    const names = select(this.names ?? [])
    const ran = await this.#ran()
    await this.#carryOut(names, plan(this.app.makePath(), names, ran))
  }

  async #carryOut(names: string[], { files, byHand }: ReturnType<typeof planRemoval>) {
    const { FEATURES } = await import('#removal/features')
    for (const name of names) {
      const isNamed = this.names.includes(name)
      const why = isNamed ? '' : `, which needs ${FEATURES[name]!.needs}`
      this.logger.info(`Goes: ${name} (${FEATURES[name]!.title})${why}`)
    }
    for (const [path, text] of files) {
      this.logger.action(`${text === null ? 'delete' : 'write'} ${path}`).succeeded()
    }
    if (!this.yes && !(await this.prompt.confirm('Take this out?'))) {
      this.logger.info('Nothing has changed.')
      return
    }
    for (const [path, text] of files) {
      const file = this.app.makePath(path)
      await (text === null ? rm(file) : writeFile(file, await this.#formatted(file, text)))
      /* Folders that are empty now; one that is not says so. */
      await rmdir(dirname(file)).catch(() => {})
    }
    byHand.forEach((code) => this.logger.warning(`This still needs what is gone: ${code}`))
    if (files.has('package.json')) {
      this.logger.info('Run "npm install": some packages are no longer needed.')
    }
    if ([...files.keys()].some((path) => path.startsWith('database/migrations/'))) {
      this.logger.info(
        'Run "node ace migration:run": it drops the tables that there are, and writes database/schema.ts without them.'
      )
    }
    this.logger.success('Read the diff, then run "npm run typecheck" and "npm test".')
  }

  /** As "npm run format" leaves it. */
  async #formatted(file: string, text: string): Promise<string> {
    const { format, getFileInfo, resolveConfig } = await import('prettier')
    const { inferredParser } = await getFileInfo(file)
    return inferredParser ? format(text, { ...(await resolveConfig(file)), filepath: file }) : text
  }

  /** The migrations that the database has. */
  async #ran(): Promise<Set<string>> {
    if (!existsSync(this.app.makePath('.env')) && !process.env.APP_KEY) {
      return this.fail(
        'Start the application once, with "npm run dev": it writes .env and makes the database, which this command asks what its migrations have made.'
      )
    }
    try {
      await this.app.boot()
      const db = await this.app.container.make('lucid.db')
      const client = db.connection()
      if (!(await client.schema.hasTable('adonis_schema'))) {
        return new Set()
      }
      const rows: { name: string }[] = await client.from('adonis_schema').select('name')
      return new Set(rows.map(({ name }) => name))
    } catch (failure) {
      return this.fail(
        `The database cannot be asked which migrations it has (${(failure as Error).message}).`
      )
    }
  }
}
