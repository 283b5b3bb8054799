import { BaseCommand, args, flags } from '@adonisjs/core/ace'

import type { Target } from '#export/target'

/** Brings features into an application that exists. */
export default class ModuleExport extends BaseCommand {
  static commandName = 'module:export'
  static description = 'Bring features into another AdonisJS application, which has @adonisjs/auth'
  static help = [
    'Shows what will be written and changed there, and asks. What is left to do is printed:',
    '```',
    '{{ binaryName }} module:export oauth2 mcp --to ../their-app',
    '{{ binaryName }} module:export oauth2 --to ../their-app --dry-run',
    '```',
  ]

  @args.spread({ description: 'Names of features: "oauth2", "mcp"', required: false })
  declare names: string[]

  @flags.string({ description: 'Folder of the application' })
  declare to?: string

  @flags.boolean({ description: 'Show what would be done, and do nothing' })
  declare dryRun: boolean

  @flags.boolean({
    description: 'Replace files of modules, providers, commands, database and stubs that differ',
  })
  declare force: boolean

  @flags.boolean({ description: 'Do not ask' })
  declare yes: boolean

  async run() {
    const { planExport } = await import('#export/plan')
    const { ExportRefused } = await import('#export/target')
    try {
      const { names = [], to, force = false } = this
      if (!to) {
        throw new ExportRefused('Name the folder of the application with "--to".')
      }
      await this.#carryOut(await planExport({ root: this.app.makePath(), names, to, force }))
    } catch (error) {
      if (!(error instanceof ExportRefused)) {
        throw error
      }
      this.logger.error(error.message)
      this.exitCode = 1
    }
  }

  async #carryOut(target: Target) {
    this.#show(target)
    if (this.dryRun) {
      this.#sayWhatIsLeft(target)
      return
    }
    if (!this.yes && !(await this.prompt.confirm('Write this?'))) {
      this.logger.info('Nothing has changed.')
      return
    }
    await target.workspace.apply()
    this.#sayWhatIsLeft(target)
    this.logger.info(
      'Then, in the application: npm install, node ace migration:run, npm run typecheck, and read the diff.'
    )
  }

  #show({ workspace, different, hasUncommitted }: Target) {
    if (hasUncommitted) {
      this.logger.warning('Commit the application first: its changes would mix with these.')
    }
    const isNew = (path: string) => workspace.original(path) === ''
    const folders = Map.groupBy(workspace.changed.filter(isNew), folderOf)
    for (const [folder, paths] of folders) {
      this.logger.action(`create ${folder} (${paths.length})`).succeeded()
    }
    for (const path of workspace.changed.filter((one) => !isNew(one))) {
      this.logger.action(`change ${path}`).succeeded()
    }
    for (const path of different) {
      this.logger.action(`keep ${path}`).skipped('it has another text')
    }
  }

  /** The exact lines, for a person to add. */
  #sayWhatIsLeft({ byHand }: Target) {
    if (byHand.length === 0) {
      return
    }
    this.logger.warning(`${byHand.length} left to do by hand:`)
    byHand.forEach(({ path, task, lines }, index) => {
      const indented = lines.replace(/^(?=.)/gm, '     ')
      this.logger.log(`\n${index + 1}. ${path}: ${task}.\n\n${indented}\n`)
    })
  }
}

/** `modules/oauth2` for what is below it, `config` for a file of that folder. */
function folderOf(path: string): string {
  const parts = path.split('/')
  return parts.slice(0, Math.min(2, parts.length - 1)).join('/') || '.'
}
