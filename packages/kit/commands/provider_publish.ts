import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { flags } from '@adonisjs/core/ace'

import { stubsIn, writeStubs, stubsRoot } from '#stubs/main'
import { KitCommand } from '#process/kit_command'

export default class ProviderPublish extends KitCommand {
  static commandName = 'provider:publish'
  static description = 'Publish the migrations and config files of an authentication provider'
  static help = [
    'Existing files are skipped unless you pass "--force":',
    '```',
    '{{ binaryName }} provider:publish -p auth-session',
    '{{ binaryName }} provider:publish -p auth-api-token --force',
    '```',
  ]

  @flags.string({ alias: 'p', description: 'Key of the provider, e.g. "auth-session"' })
  declare provider?: string

  @flags.boolean({ description: 'Overwrite files that exist' })
  declare force: boolean

  async run() {
    const keys = await readdir(join(stubsRoot, 'publish'))
    if (!this.provider || !keys.includes(this.provider)) {
      const complaint = this.provider
        ? `There is nothing to publish under "${this.provider}".`
        : 'Name the provider with "-p".'
      return this.fail(`${complaint} Known keys: ${keys.sort().join(', ')}`)
    }
    const codemods = await this.createCodemods()
    codemods.overwriteExisting = this.force
    await writeStubs(codemods, this.app.makePath(), await stubsIn('publish', this.provider))
  }
}
