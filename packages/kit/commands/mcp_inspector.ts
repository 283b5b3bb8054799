import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { args, BaseCommand, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

/** Opens the MCP Inspector on a mounted server. The application has to run, and npx fetches the Inspector when it is not installed. */
export default class McpInspector extends BaseCommand {
  static commandName = 'mcp:inspector'
  static description = 'Open the MCP Inspector on a mounted server'
  static options: CommandOptions = { startApp: true }
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
    const url = await this.#url()
    if (url === null) {
      this.exitCode = 1
      return
    }
    const target = this.cli
      ? ['--cli', url, '--transport', 'http']
      : ['--transport', 'http', '--server-url', url]
    const child = spawn(
      'npx',
      ['--yes', '@modelcontextprotocol/inspector', ...target, ...(this.rest ?? [])],
      { stdio: 'inherit', shell: process.platform === 'win32' }
    )
    const [code] = await once(child, 'exit')
    this.exitCode = code ?? 1
  }

  /** The URL that clients connect to; null when there is no such server. */
  async #url(): Promise<string | null> {
    if (!this.app.container.hasBinding('mcp')) {
      this.logger.error('McpProvider is not registered in adonisrc.ts')
      return null
    }
    const manager = await this.app.container.make('mcp')
    if (manager.config.url === null) {
      this.logger.error('config/mcp.ts has no "url": nobody knows where the servers are')
      return null
    }
    const mount = await manager.findMount(this.name)
    if (!mount) {
      this.logger.error(
        this.name === undefined ? 'No MCP server is mounted' : `There is no server "${this.name}"`
      )
      return null
    }
    return manager.config.url + mount.pattern
  }
}
