import { MakeMcpCommand } from '#mcp/console/make_command'

export default class MakeMcpPrompt extends MakeMcpCommand {
  static commandName = 'make:mcp-prompt'
  static description = 'Create a new MCP prompt class in app/mcp/prompts'
}
