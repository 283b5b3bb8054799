/*
|--------------------------------------------------------------------------
| MCP
|--------------------------------------------------------------------------
|
|   npm run benchmark -- mcp
|
| CPU time of this process for each request, beside that of a route of the
| same application that echoes JSON (body parser, session, CSRF and all).
| "tools/call" and "tools/list" may take 1.3 times as much. Another process
| sends the requests.
|
*/

process.env.NODE_ENV = 'test'
process.env.LOG_LEVEL = 'silent'
process.env.HOST = '127.0.0.1'
process.env.PORT = '4790'
await import('reflect-metadata')

const { fork } = await import('node:child_process')
const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const REQUESTS = 3000
const ROUNDS = 5
const URL_BASE = `http://127.0.0.1:${process.env.PORT}`

const ignitor = new Ignitor(APP_ROOT, { importer: IMPORTER }).tap((app) => {
  app.booting(async () => {
    await import('#start/env')
  })
  app.starting(async () => {
    const router = await app.container.make('router')
    router.post('/bench/echo', ({ request, response }) => response.json(request.body()))
  })
})
const server = ignitor.httpServer()
await server.start()
const app = ignitor.getApp()!

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'benchmark', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
}
const call = {
  name: 'count_words',
  arguments: { text: 'The quick brown fox jumps over the lazy dog' },
}

function message(method: string, params: object) {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}

function modernHeaders(method: string, name?: string) {
  return {
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(name && { 'mcp-name': name }),
  }
}

const cases = [
  { title: 'echo route', path: '/bench/echo', body: message('tools/call', call), headers: {} },
  { title: 'tools/call, 2025-11-25', path: '/mcp', body: message('tools/call', call), headers: {} },
  { title: 'tools/list, 2025-11-25', path: '/mcp', body: message('tools/list', {}), headers: {} },
  {
    title: 'tools/call, 2026-07-28',
    path: '/mcp',
    body: message('tools/call', { ...call, _meta: META }),
    headers: modernHeaders('tools/call', 'count_words'),
  },
  {
    title: 'tools/list, 2026-07-28',
    path: '/mcp',
    body: message('tools/list', { _meta: META }),
    headers: modernHeaders('tools/list'),
  },
]

/** Microseconds of CPU for each request. */
async function measure({ path, body, headers }: (typeof cases)[number], count: number) {
  const options = {
    url: `${URL_BASE}${path}`,
    body,
    count,
    concurrency: 8,
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      ...headers,
    },
  }
  const load = new URL('load.js', import.meta.url)
  const before = process.cpuUsage()
  const child = fork(load, [JSON.stringify(options)], { execArgv: [] })
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (code !== 0) {
    throw new Error(`The load for ${path} failed`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}

for (const one of cases) {
  await measure(one, REQUESTS)
}

/* The cases take turns, so that a busy moment of the machine does not fall on one alone. */
const samples = new Map<string, number[]>(cases.map(({ title }) => [title, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const one of cases) {
    samples.get(one.title)!.push(await measure(one, REQUESTS))
  }
}

const median = (title: string) => samples.get(title)!.sort((a, b) => a - b)[ROUNDS >> 1]
const echo = median('echo route')
console.table(
  cases.map(({ title }) => ({
    'request': title,
    'CPU µs': Math.round(median(title)!),
    'times the echo route': Number((median(title)! / echo!).toFixed(2)),
  }))
)
await app.terminate()
