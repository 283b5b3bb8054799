import { flags } from '@adonisjs/core/ace'

import { MakeMcpCommand } from '#mcp/console/make_command'

export default class MakeMcpResource extends MakeMcpCommand {
  static commandName = 'make:mcp-resource'
  static description = 'Create a new MCP resource class in app/mcp/resources'

  @flags.boolean({ description: 'Make a resource template, whose URI has a variable' })
  declare template: boolean

  protected override get words() {
    return this.template
      ? { path: '/{id}', variables: '{ id }: { id: string }', content: '`Content of ${id}`' }
      : { path: '', variables: '', content: "'Content'" }
  }
}
