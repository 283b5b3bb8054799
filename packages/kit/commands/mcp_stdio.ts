import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'

import { args, flags } from '@adonisjs/core/ace'
import type { CommandOptions } from '@adonisjs/core/types/ace'

import { McpManager } from '#mcp/manager'
import { serveStdio } from '#mcp/stdio'
import { KitCommand } from '#process/kit_command'

/** Tells the second process that it serves. */
const SERVES = 'MCP_STDIO_SERVES'

/** The file descriptor of the second process that is the client's end of stdout. */
const PROTOCOL = 3

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Serves a mounted MCP server to the program that started this command. stdout may carry nothing but
 * the protocol, so a second process serves: its stdout is stderr, whatever writes there (the log, a
 * package, `console.log`), and the protocol has a descriptor of its own.
 */
export default class McpStdio extends KitCommand {
  static commandName = 'mcp:stdio'
  static description = 'Serve an MCP server over stdio, for agents on this machine'
  static help = [
    'An agent starts it by itself. Its configuration names the command:',
    '```',
    '{{ binaryName }} mcp:stdio blog --user=ann@example.com',
    '```',
  ]

  static get options(): CommandOptions {
    return { startApp: process.env[SERVES] !== undefined }
  }

  @args.string({ description: 'Name of the server, as mcp:list shows it' })
  declare name: string

  @flags.string({ description: 'E-mail address of the user to act as; nobody without it' })
  declare user?: string

  async run() {
    return process.env[SERVES] === undefined ? this.#spawn() : this.#serve()
  }

  async #spawn() {
    const [node, ...command] = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
    /* `bin/console.ts` takes the arguments out of `process.argv`. */
    const user = this.user === undefined ? [] : [`--user=${this.user}`]
    const child = spawn(node!, [...command, 'mcp:stdio', this.name, ...user], {
      stdio: ['inherit', 2, 2, 1],
      env: { ...process.env, [SERVES]: '1' },
    })
    const forward = FORWARDED_SIGNALS.map((signal) => {
      const listener = () => void child.kill(signal)
      process.on(signal, listener)
      return () => process.off(signal, listener)
    })
    await once(child, 'exit')
    forward.forEach((stop) => stop())
    this.exitCode = child.exitCode ?? 1
  }

  async #serve() {
    await this.bound(McpManager, 'McpProvider')
    const output = openOutput(PROTOCOL)
    const written = finished(output).catch(() => {
      /* The client has gone. */
    })
    const { name, user } = this
    const served = serveStdio(this.app, { name, user, input: process.stdin, output })
    await served.catch(({ message }: Error) => this.fail(message))
    output.end()
    await written
  }
}

/** A pipe takes no more than its reader has room for: a socket waits for that, and a file stream fails. */
function openOutput(fd: number): Writable {
  const target = fstatSync(fd)
  return target.isFIFO() || target.isSocket()
    ? new Socket({ fd, readable: false, writable: true })
    : createWriteStream('', { fd })
}
