import { MakeMcpCommand } from '#mcp/console/make_command'

export default class MakeMcpTool extends MakeMcpCommand {
  static commandName = 'make:mcp-tool'
  static description = 'Create a new MCP tool class in app/mcp/tools'
}
