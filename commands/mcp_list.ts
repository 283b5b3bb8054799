import { BaseCommand, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/** Shows the MCP servers of the application and what each of them offers. */
export default class McpList extends BaseCommand {
  static commandName = 'mcp:list'
  static description = 'List the MCP servers, their tools, prompts and resources'
  static options: CommandOptions = { startApp: true }

  @flags.boolean({ description: 'Print JSON' })
  declare json: boolean

  async run() {
    if (!this.app.container.hasBinding('mcp')) {
      this.logger.error('McpProvider is not registered in adonisrc.ts')
      this.exitCode = 1
      return
    }
    const servers = await this.#servers()
    if (this.json) {
      this.logger.log(JSON.stringify(servers, null, 2))
      return
    }
    for (const { name, path, offers } of servers) {
      this.logger.log(`${this.colors.green(name)} ${path}`)
      if (offers.length === 0) {
        this.logger.log('  offers nothing')
        continue
      }
      const table = this.ui.table().head(['Kind', 'Name', 'Description'])
      for (const one of offers) {
        table.row([one.kind, one.name, one.description ?? ''])
      }
      table.render()
    }
  }

  async #servers() {
    const manager = await this.app.container.make('mcp')
    return Promise.all(
      manager.mounts.map(async ({ Server, pattern }) => {
        const { info, tools, prompts, resources, templates } = await manager.definition(Server)
        const kinds = [
          { kind: 'tool', classes: [...tools.values()].map(({ Class }) => Class) },
          { kind: 'prompt', classes: [...prompts.values()].map(({ Class }) => Class) },
          { kind: 'resource', classes: [...resources.values()].map(({ Class }) => Class) },
          { kind: 'resource template', classes: [...templates.values()].map(({ Class }) => Class) },
        ]
        const offers = kinds.flatMap(({ kind, classes }) =>
          classes.map((Class) => ({
            kind,
            name: 'uri' in Class ? Class.uri : Class.name,
            description: Class.description,
          }))
        )
        return { name: info.name, path: pattern, offers }
      })
    )
  }
}
