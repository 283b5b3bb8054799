import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { args, flags } from '@adonisjs/core/ace'

import { McpManager } from '#mcp/manager'
import { StartedCommand } from '#process/kit_command'

/** Opens the MCP Inspector on a mounted server. The application has to run, and npx fetches the Inspector when it is not installed. */
export default class McpInspector extends StartedCommand {
  static commandName = 'mcp:inspector'
  static description = 'Open the MCP Inspector on a mounted server'
  static help = [
    'Start the application first. What follows two dashes goes to the command line of the Inspector:',
    '```',
    '{{ binaryName }} mcp:inspector blog',
    '{{ binaryName }} mcp:inspector blog --cli -- --method tools/list',
    '```',
  ]

  @args.string({
    description: 'Name of the server, as mcp:list shows it; the first one without it',
    required: false,
  })
  declare name?: string

  @args.spread({ description: 'More for the command line of the Inspector', required: false })
  declare rest?: string[]

  @flags.boolean({ description: 'Use the command line of the Inspector instead of its page' })
  declare cli: boolean

  async run() {
    const manager = await this.bound(McpManager, 'McpProvider')
    const origin =
      manager.config.url ??
      this.fail('config/mcp.ts has no "url": nobody knows where the servers are')
    const { pattern } =
      (await manager.findMount(this.name)) ??
      this.fail(
        this.name === undefined ? 'No MCP server is mounted' : `There is no server "${this.name}"`
      )
    const url = origin + pattern
    const target = this.cli
      ? ['--cli', url, '--transport', 'http']
      : ['--transport', 'http', '--server-url', url]
    const inspector = ['--yes', '@modelcontextprotocol/inspector', ...target, ...(this.rest ?? [])]
    const shell = process.platform === 'win32'
    const child = spawn('npx', inspector, { stdio: 'inherit', shell })
    const [code] = await once(child, 'exit')
    this.exitCode = code ?? 1
  }
}
