import { flags } from '@adonisjs/core/ace'
import type { Route } from '@adonisjs/core/http'

import { usesMiddleware } from '#http/route_marks'
import { describeClients } from '#mcp/known_clients'
import { McpManager } from '#mcp/manager'
import { StartedCommand } from '#process/kit_command'

export default class McpList extends StartedCommand {
  static commandName = 'mcp:list'
  static description = 'List the MCP servers, their tools, prompts and resources'

  @flags.boolean({ description: 'Print JSON' })
  declare json: boolean

  async run() {
    const manager = await this.bound(McpManager, 'McpProvider')
    const servers = await describeMounts(manager)
    if (this.json) {
      return this.logger.log(JSON.stringify(servers, null, 2))
    }
    for (const { name, url, access, offers } of servers) {
      this.logger.log(`${this.colors.green(name)} ${url} (${access})`)
      if (offers.length === 0) {
        this.logger.log('  offers nothing')
        continue
      }
      const table = this.ui.table().head(['Kind', 'Name', 'Description'])
      offers.forEach((one) => table.row([one.kind, one.name, one.description ?? '']))
      table.render()
    }
    if (manager.knownClients) {
      this.logger.log(describeClients(manager.knownClients))
    }
  }
}

const describeMounts = (manager: McpManager) =>
  Promise.all(
    manager.mounts.map(async ({ server, pattern, protection, group }) => {
      const { info, offers: all, scopes } = await manager.definition(await server)
      const kinds = {
        'tool': all.tools,
        'prompt': all.prompts,
        'resource': all.resources,
        'resource template': all.templates,
      }
      const offers = Object.entries(kinds).flatMap(([kind, classes]) =>
        [...classes].map(([name, { Class }]) => ({ kind, name, description: Class.description }))
      )
      const url = `${manager.config.url ?? ''}${pattern}`
      const isClosed = usesMiddleware((group.routes[0] as Route).toJSON(), 'auth')
      const signIn = protection ? 'sign-in' : 'token'
      const some = protection || scopes.length > 0 ? `, ${signIn} for some` : ''
      const access = (protection ? protection.optional : !isClosed) ? `open${some}` : signIn
      return { name: info.name, path: pattern, url, access, offers }
    })
  )
