import { args, type BaseCommand, flags } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'

import { assertClassName, KitCommand } from '#process/kit_command'
import { stubsRoot } from '#stubs/main'

/** What the stubs import: classes with these names get the kind as a suffix. */
const IMPORTED = 'App Argument Arguments McpRequest Prompt Resource Response Tool'.split(' ')

/** `make:mcp-<kind>`: generates a class from `stubs/make/mcp/<kind>.stub`. */
export abstract class MakeMcpCommand extends KitCommand {
  @args.string({ description: 'Name of the class' })
  declare name: string

  @flags.boolean({ description: 'Overwrite an existing file', alias: 'f' })
  declare force: boolean

  protected get kind(): string {
    return (this.constructor as typeof BaseCommand).commandName.replace('make:mcp-', '')
  }

  protected get stubs(): string[] {
    return [this.kind]
  }

  protected get words(): Record<string, string> {
    return {}
  }

  async run() {
    const entity = this.app.generators.createEntity(this.name)
    const ending = this.kind === 'server' ? 'server' : ''
    const base = string.create(entity.name).removeExtension().removeSuffix(ending)
    const mcpName = base.toString() === '' ? ending : base.snakeCase().toString()
    assertClassName(mcpName, this.name)
    const suffix = IMPORTED.includes(string.pascalCase(mcpName)) ? this.kind : ending

    const codemods = await this.createCodemods()
    codemods.overwriteExisting = this.force === true
    for (const stub of this.stubs) {
      await codemods.makeUsingStub(stubsRoot, `make/mcp/${stub}.stub`, {
        entity,
        mcpName,
        className: string.pascalCase(`${mcpName}_${suffix}`),
        fileName: `${string.snakeCase(`${mcpName}_${suffix}`)}.ts`,
        ...this.words,
      })
    }
  }
}
