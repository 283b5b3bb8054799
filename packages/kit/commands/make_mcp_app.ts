import { posix } from 'node:path'

import string from '@adonisjs/core/helpers/string'

import { MakeMcpCommand } from '#mcp/console/make_command'

export default class MakeMcpApp extends MakeMcpCommand {
  static commandName = 'make:mcp-app'
  static description = 'Create a new MCP app in app/mcp/apps, and its page in resources/views/mcp'

  protected override get stubs() {
    return ['app', 'app_page']
  }

  protected override get words() {
    const { path, name } = this.app.generators.createEntity(this.name)
    const view = posix.join('mcp', path, string.snakeCase(name))
    return { view, hostScript: '{{{ hostScript }}}' }
  }
}
