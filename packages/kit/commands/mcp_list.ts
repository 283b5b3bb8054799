import { BaseCommand, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { describeClients } from '#mcp/known_clients'
import type { Protection } from '#mcp/protection'

/** Lists the mounted MCP servers: the URL that clients connect to, and what each server offers. */
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
    for (const { name, url, access, offers } of servers) {
      this.logger.log(`${this.colors.green(name)} ${url} (${access})`)
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
    const { knownClients } = await this.app.container.make('mcp')
    if (knownClients) {
      this.logger.log(describeClients(knownClients))
    }
  }

  async #servers() {
    const manager = await this.app.container.make('mcp')
    return Promise.all(
      manager.mounts.map(async ({ server, pattern, protection }) => {
        const definition = await manager.definition(await server)
        const { info, tools, prompts, resources, templates } = definition
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
        const url = `${manager.config.url ?? ''}${pattern}`
        return { name: info.name, path: pattern, url, access: accessOf(protection), offers }
      })
    )
  }
}

function accessOf(protection: Protection | null): string {
  return protection ? (protection.optional ? 'open, sign-in for some' : 'sign-in') : 'open'
}
