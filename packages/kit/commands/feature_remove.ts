import { BaseCommand, args, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import type { Removal } from '#removal/removal'

/** Takes features out of the application. */
export default class FeatureRemove extends BaseCommand {
  static commandName = 'feature:remove'
  static description = 'Take features out of the application, with everything that is theirs'
  static help = [
    'Shows what will be deleted and changed, and asks. Commit before, and read the diff after it:',
    '```',
    '{{ binaryName }} feature:remove passkeys two_factor',
    '{{ binaryName }} feature:remove posts --yes',
    '```',
  ]

  static options: CommandOptions = { startApp: true }

  @args.spread({ description: 'Names of features, e.g. "oauth2"', required: false })
  declare names: string[]

  @flags.boolean({ description: 'Do not ask' })
  declare yes: boolean

  async run() {
    const { planRemoval } = await import('#removal/removal')
    const { UnknownFeature } = await import('#removal/selection')
    try {
      const removal = await planRemoval(this.app.makePath(), this.names ?? [], await this.#ran())
      await this.#carryOut(removal)
    } catch (error) {
      if (!(error instanceof UnknownFeature)) {
        throw error
      }
      this.logger.error(error.message)
      this.exitCode = 1
    }
  }

  async #carryOut(removal: Removal) {
    this.#show(removal)
    if (!this.yes && !(await this.prompt.confirm('Take this out?'))) {
      this.logger.info('Nothing has changed.')
      return
    }
    const { format } = await import('#removal/steps/format')
    await removal.workspace.apply()
    await format(removal.workspace)
    this.#say(removal)
  }

  #show({ removed, dependent, workspace, packages }: Removal) {
    this.logger.info(
      `Taken out: ${removed.map(({ name, title }) => `${name} (${title})`).join(', ')}`
    )
    for (const { name, needs } of dependent) {
      this.logger.warning(`${name} goes too: it needs ${needs!.join(' and ')}`)
    }
    workspace.removed.forEach((path) => this.logger.action(`delete ${path}`).succeeded())
    workspace.changed.forEach((path) => this.logger.action(`change ${path}`).succeeded())
    packages.forEach((name) => this.logger.action(`uninstall ${name}`).succeeded())
  }

  #say({ byHand, packages, droppingMigration }: Removal) {
    byHand.forEach((sentence) => this.logger.warning(sentence))
    if (packages.length) {
      this.logger.info('Run "npm install": some packages are no longer needed.')
    }
    if (droppingMigration) {
      this.logger.info(`Run "node ace migration:run": ${droppingMigration} drops the tables.`)
    }
    this.logger.success(
      'Read the diff, then run "npm run lint", "npm run typecheck" and "npm test".'
    )
  }

  /** The migrations that the database has. */
  async #ran(): Promise<Set<string>> {
    const { default: db } = await import('@adonisjs/lucid/services/db')
    try {
      const rows: { name: string }[] = await db.from('adonis_schema').select('name')
      return new Set(rows.map(({ name }) => name))
    } catch {
      return new Set()
    }
  }
}
