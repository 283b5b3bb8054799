import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

import { bin, run } from './command.js'

/** Codex appends a port of its own. */
const LOOPBACK = 'http://127.0.0.1/callback'

/** Codex: its command line signs in, and its server for editors, which goes on, calls without a model. */
export async function start({ url, clientId, folder, allow, env }) {
  const own = { ...env, CODEX_HOME: folder }
  const identity = { 'oauth.client_id': clientId, 'oauth.callback_url': LOOPBACK }
  const command = [
    bin('codex'),
    ...Object.entries({ url, ...(clientId && identity) }).flatMap(([key, value]) => [
      '-c',
      `mcp_servers.blog.${key}=${JSON.stringify(value)}`,
    ]),
  ]
  const registration = clientId ? [] : ['--oauth-client-registration', 'dcr']
  let editor
  const stop = async () => editor?.stop()
  return {
    async signIn() {
      await stop()
      await run([...command, 'mcp', 'login', 'blog', ...registration], { allow, env: own })
      editor = await Editor.start(command, own)
    },
    call: (tool, args) => editor.call(tool, args),
    stop,
  }
}

/** An editor that has started `codex app-server`, which speaks JSON-RPC over its streams. */
class Editor {
  #waiting = new Map()
  #count = 0

  static async start(command, env) {
    const editor = new Editor(command, env)
    await editor.#request('initialize', {
      clientInfo: { name: 'matrix', title: 'Matrix', version: '1.0.0' },
      capabilities: { experimentalApi: true },
    })
    const { thread } = await editor.#request('thread/start', { cwd: env.CODEX_HOME })
    editor.threadId = thread.id
    return editor
  }

  constructor(command, env) {
    this.child = spawn(process.execPath, [...command, 'app-server'], {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line)
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      error ? waiting?.reject(new Error(error.message)) : waiting?.resolve(result)
    })
  }

  #request(method, params) {
    const id = ++this.#count
    this.child.stdin.write(`${JSON.stringify({ id, method, params })}\n`)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  async call(tool, args) {
    const { threadId } = this
    const request = { server: 'blog', threadId, tool, arguments: args }
    const result = await this.#request('mcpServer/tool/call', request)
    if (result.isError) throw new Error(JSON.stringify(result.content))
    return result
  }

  stop = () => this.child.kill()
}
