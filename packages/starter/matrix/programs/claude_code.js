import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

import { run } from './command.js'

const SCRIPT = fileURLToPath(
  new URL('./node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs', import.meta.url)
)

/** Claude Code, a process for each call. Its model is ours and calls what the prompt names. */
export async function start({ url, clientId, isDocument, redirectUri, folder, allow, env }) {
  const model = await Model.start()
  const person = {
    allow,
    cwd: folder,
    input: '',
    env: {
      ...env,
      ...(isDocument && { MCP_OAUTH_CLIENT_METADATA_URL: clientId }),
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  }
  const claude = (...args) => run([SCRIPT, ...args], person)
  const port = new URL(redirectUri).port
  const identity = isDocument ? [] : ['--client-id', clientId, '--callback-port', port]
  await claude('mcp', 'add', '--transport', 'http', ...identity, '--', 'blog', url)
  return {
    signIn: () => run([SCRIPT, 'mcp', 'login', 'blog'], { ...person, terminal: true }),
    async call(name, args) {
      const prompt = JSON.stringify({ name: `mcp__blog__${name}`, input: args })
      const allowed = ['--allowedTools', `mcp__blog__${name}`]
      const output = await claude('-p', prompt, ...allowed, '--output-format', 'json')
      const { is_error: isError, content } = JSON.parse(JSON.parse(output).result)
      if (isError) throw new Error(content)
      return content
    },
    stop: async () => model.stop(),
  }
}

/** Speaks Anthropic's Messages API: it uses the tool of the prompt, and then repeats its result. */
class Model {
  static async start() {
    const server = createServer((request, response) => void answer(request, response))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new Model(server)
  }

  constructor(server) {
    this.stop = () => server.close()
    this.url = `http://127.0.0.1:${server.address().port}`
  }
}

async function answer(request, response) {
  if (request.method !== 'POST') return response.writeHead(404).end()
  const { messages, model } = await json(request)
  const blocks = messages.flatMap(({ content }) => content)
  const result = blocks.find(({ type }) => type === 'tool_result')
  const prompt = blocks.find(({ text }) => text?.startsWith('{"name":'))
  const use = result
    ? {
        block: { type: 'text', text: '' },
        delta: { type: 'text_delta', text: JSON.stringify(result) },
      }
    : toolUse(JSON.parse(prompt.text))
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const send = (type, data) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
  const usage = { input_tokens: 1, output_tokens: 1 }
  send('message_start', {
    message: { id: 'msg_1', type: 'message', role: 'assistant', model, content: [], usage },
  })
  send('content_block_start', { index: 0, content_block: use.block })
  send('content_block_delta', { index: 0, delta: use.delta })
  send('content_block_stop', { index: 0 })
  send('message_delta', { delta: { stop_reason: result ? 'end_turn' : 'tool_use' }, usage })
  send('message_stop')
  response.end()
}

const toolUse = ({ name, input }) => ({
  block: { type: 'tool_use', id: 'toolu_1', name, input: {} },
  delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
})
