/** Speaks MCP to the running test server byte by byte, as no client library would. */

const META = 'io.modelcontextprotocol'

export const JSON_TYPE = { 'content-type': 'application/json' }

/** Whatever a message may hold, right or wrong. */
export type Json = Record<string, any>

export function url(path = '/mcp'): string {
  return `http://${process.env.HOST}:${process.env.PORT}${path}`
}

export interface Reply {
  status: number
  headers: Headers
  text: string
  /** The body as JSON; undefined when it is empty. */
  body: any
}

/** Posts a body as it stands. */
export async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = JSON_TYPE
): Promise<Reply> {
  const response = await fetch(url(path), { method: 'POST', body, headers })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}

/** A request of the era before 2026-07-28. */
export function legacy(
  path: string,
  method: string,
  params?: Json,
  headers: Record<string, string> = {}
): Promise<Reply> {
  const message = { jsonrpc: '2.0', id: 1, method, params }
  return post(path, JSON.stringify(message), { ...JSON_TYPE, ...headers })
}

/** `_meta` of a modern request. */
export function meta(members: Json = {}): Json {
  return {
    [`${META}/protocolVersion`]: '2026-07-28',
    [`${META}/clientInfo`]: { name: 'test', version: '1.0.0' },
    [`${META}/clientCapabilities`]: {},
    ...Object.fromEntries(
      Object.entries(members).map(([key, value]) => [
        key === 'progressToken' ? key : `${META}/${key}`,
        value,
      ])
    ),
  }
}

/** The headers that mirror a modern request. */
export function mirror(method: string, params: Json = {}): Record<string, string> {
  const name = params.name ?? params.uri
  const isNamed = ['tools/call', 'prompts/get', 'resources/read'].includes(method)
  return {
    ...JSON_TYPE,
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(isNamed && typeof name === 'string' && { 'mcp-name': name }),
  }
}

/** A request of revision 2026-07-28; what `headers` sets to null is left out. */
export function modern(
  path: string,
  method: string,
  params: Json = {},
  headers: Record<string, string | null> = {}
): Promise<Reply> {
  const message = { jsonrpc: '2.0', id: 1, method, params: { _meta: meta(), ...params } }
  const sent = Object.entries({ ...mirror(method, params), ...headers })
  return post(
    path,
    JSON.stringify(message),
    Object.fromEntries(sent.filter((entry): entry is [string, string] => entry[1] !== null))
  )
}

/** The messages of an event stream; where a call takes long there are comments among them. */
export function events(text: string): any[] {
  return text
    .split('\n\n')
    .filter((event) => event && event !== ':')
    .map((event) => JSON.parse(event.replace(/^event: message\ndata: /, '')))
}

export async function statusOf(reply: Promise<{ status: number }>): Promise<number> {
  const { status } = await reply
  return status
}

export async function resultOf(reply: Promise<{ body: any }>): Promise<any> {
  const { body } = await reply
  return body.result
}

export async function errorCode(reply: Promise<{ body: any }>): Promise<number> {
  const { body } = await reply
  return body.error?.code
}

export async function bodyOf(reply: Promise<{ body: any }>): Promise<any> {
  const { body } = await reply
  return body
}
