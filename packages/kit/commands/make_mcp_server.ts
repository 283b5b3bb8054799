import { MakeMcpCommand } from '#mcp/console/make_command'

export default class MakeMcpServer extends MakeMcpCommand {
  static commandName = 'make:mcp-server'
  static description = 'Create a new MCP server class in app/mcp/servers'
}
