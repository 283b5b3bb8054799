import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

import type { Caller } from './caller.js'
import type { Random } from './random.js'
import { bodiesOf, mutate, nameOf, textOf } from './values.js'
import type { FuzzRequest } from './wire.js'

export interface FuzzRoute {
  pattern: string
  methods: string[]
}

type Headers = [name: string, value: string][]

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']
const HOSTS = ['127.0.0.1:3333', 'localhost', 'evil.example', '[::1]', '', 'a b']
const ORIGINS = ['https://spa.example.com', 'http://127.0.0.1:3333', 'null', 'https://evil.example']
const JSON_API = 'application/vnd.api+json'
const ACCEPTS = ['*/*', 'application/json', 'text/html', JSON_API, 'text/event-stream', 'x', ';;q=']
const ODD_TYPES = [
  '',
  'text/plain',
  'application/xml',
  'multipart/form-data',
  `${JSON_API}; ext="x"`,
]
const ODD_HEADERS: Headers = [
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'yesterday'],
  ['Range', 'bytes=0-,5-1'],
  ['Accept-Language', '*;q=x'],
  ['Accept-Encoding', 'br;q=1, gzip;q=0'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'gopher'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Requested-With', 'XMLHttpRequest'],
  ['X-Request-Id', 'x'.repeat(5000)],
  ['Expect', '100-continue'],
  ['Referer', 'not a url'],
  ['Referer', 'http://127.0.0.1:3333/login'],
  ['Upgrade', 'websocket'],
  ['MCP-Protocol-Version', '2025-11-25'],
  ['MCP-Protocol-Version', '1900-01-01'],
  ['Mcp-Session-Id', 'unknown'],
  ['Mcp-Method', 'tools/call'],
  ['Mcp-Name', 'count_words'],
  ['Last-Event-ID', '-1'],
  ['Access-Control-Request-Method', 'DELETE'],
  ['Access-Control-Request-Headers', '*'],
  ['User-Agent', 'ü\xff\x80'],
]

/** Routes that may end the caller's session or tokens: picked less often, so that others are reached signed in. */
const ENDING = ['/login', '/logout', '/oauth/tokens', '/oauth/personal-access-tokens']

function pickRoute(random: Random, routes: FuzzRoute[]): FuzzRoute {
  const route = random.pick(routes)
  return ENDING.includes(route.pattern) && random.chance(0.7) ? random.pick(routes) : route
}

/** One request to one of the routes, or something that is no HTTP. */
export function createRequest(random: Random, routes: FuzzRoute[], caller: Caller): FuzzRequest {
  return random.chance(0.1)
    ? brokenRequest(random, routes, caller)
    : routedRequest(random, pickRoute(random, routes), caller)
}

function routedRequest(random: Random, route: FuzzRoute, caller: Caller): FuzzRequest {
  const method = random.chance(0.85) ? random.pick(route.methods) : random.pick(METHODS)
  const headers = headersOf(random, caller)
  const hasBody = !['GET', 'HEAD', 'OPTIONS', 'TRACE'].includes(method)
  const body = hasBody || random.chance(0.05) ? bodyOf(random, route, caller, headers) : null
  const query = queryOf(random, route, caller)
  return {
    bytes: format(method, pathOf(random, route, caller) + query, headers, body),
    complete: true,
  }
}

function format(method: string, target: string, headers: Headers, body: Buffer | null): Buffer {
  const chunked = headers.some(([name]) => name === 'Transfer-Encoding')
  if (body && !chunked) {
    headers.push(['Content-Length', String(body.length)])
  }
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const head = Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines}\r\n`, 'latin1')
  return Buffer.concat([head, body && chunked ? inChunks(body) : (body ?? Buffer.alloc(0))])
}

function inChunks(body: Buffer): Buffer {
  const middle = Math.floor(body.length / 2)
  const chunks = [body.subarray(0, middle), body.subarray(middle)]
    .filter(({ length }) => length)
    .flatMap((part) => [Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])
  return Buffer.concat([...chunks, Buffer.from('0\r\n\r\n')])
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

function pathOf(random: Random, { pattern }: FuzzRoute, caller: Caller): string {
  const parameter = () =>
    random.chance(0.5) ? caller.postId : encode(textOf(random).slice(0, 4000)) || 'x'
  const path = pattern.replace(/:\w+/g, parameter).replace('*', () => `${parameter()}/mcp`)
  if (random.chance(0.93)) {
    return path
  }
  const odd = [
    '/',
    '//',
    '/%',
    '/%zz',
    '/%c0%af',
    '%00',
    '/..%2f..',
    '/./',
    ';a=b',
    '.json',
    '\xe9',
  ]
  return random.chance(0.5) ? path + random.pick(odd) : random.pick(odd) + path
}

function queryOf(random: Random, { pattern }: FuzzRoute, caller: Caller): string {
  if (pattern === '/oauth/authorize' && random.chance(0.8)) {
    return `?${formOf(mutate(random, bodiesOf(pattern, caller)[0]))}`
  }
  if (random.chance(0.6)) {
    return ''
  }
  if (random.chance(0.1)) {
    return random.pick([
      '?',
      '?%',
      '?a=%ff',
      '?a[b=1',
      `?${'a[]=1&'.repeat(500)}`,
      '?=&&=',
      '?a=b=c#d',
    ])
  }
  const pairs = Array.from(
    { length: 1 + random.below(3) },
    () => `${encode(nameOf(random))}=${encode(textOf(random).slice(0, 2000))}`
  )
  return `?${pairs.join('&')}`
}

function headersOf(random: Random, caller: Caller): Headers {
  const headers: Headers = [
    ['Host', random.chance(0.93) ? '127.0.0.1:3333' : random.pick(HOSTS)],
    ['Connection', 'close'],
    ['Accept', random.pick(ACCEPTS)],
    /* Its own address for most requests: limits on failed attempts are not what is looked for. */
    [
      'X-Forwarded-For',
      random.chance(0.95) ? `10.2.${random.below(256)}.${random.below(256)}` : 'x',
    ],
  ]
  if (random.chance(0.65)) {
    headers.push(['Cookie', random.chance(0.9) ? caller.cookie : mangle(random, caller.cookie)])
    if (random.chance(0.85)) {
      headers.push(['X-XSRF-TOKEN', decodeURIComponent(caller.csrfToken)])
    }
  } else if (random.chance(0.1)) {
    headers.push([
      'Cookie',
      random.pick(['=', ';;', 'service_session=x', 'service_session=s:e30.x', 'a="']),
    ])
  }
  if (random.chance(0.5)) {
    headers.push(['Authorization', authorizationOf(random, caller)])
  }
  if (random.chance(0.25)) {
    headers.push(['Origin', random.pick(ORIGINS)])
  }
  while (random.chance(0.3)) {
    headers.push(random.pick(ODD_HEADERS))
  }
  return headers
}

function authorizationOf(random: Random, caller: Caller): string {
  return random.pick([
    `Bearer ${caller.apiToken}`,
    `Bearer ${caller.accessToken}`,
    `Bearer ${caller.accessToken}`,
    `Basic ${caller.basic}`,
    `Bearer ${mangle(random, caller.accessToken)}`,
    `Bearer ${caller.refreshToken}`,
    'Bearer',
    'Bearer a b',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
    `Bearer ${'x'.repeat(9000)}`,
    'Basic !!!',
    'Basic Og==',
    'Digest x',
    '',
  ])
}

/** Another text at a random place: what was a secret is none any more. */
function mangle(random: Random, secret: string): string {
  const place = random.below(secret.length)
  return `${secret.slice(0, place)}${random.pick(['', '~', '.', '%', '\xff'])}${secret.slice(place + 1)}`
}

function bodyOf(random: Random, route: FuzzRoute, caller: Caller, headers: Headers): Buffer {
  const value = random.pick(bodiesOf(route.pattern, caller))
  const fields = random.chance(0.75) ? mutate(random, value) : value
  const isForm = /oauth\/|^\/token/.test(route.pattern) ? 0.7 : 0.3
  const [type, body] = random.chance(0.12)
    ? oddBody(random, fields)
    : random.chance(isForm)
      ? ['application/x-www-form-urlencoded', Buffer.from(formOf(fields))]
      : random.chance(0.15)
        ? multipart(random, fields)
        : [jsonType(random, route), Buffer.from(JSON.stringify(fields))]
  headers.push(['Content-Type', type])
  if (random.chance(0.1)) {
    headers.push(['Transfer-Encoding', 'chunked'])
  }
  return random.chance(0.08) ? compress(random, body, headers) : body
}

function jsonType(random: Random, { pattern }: FuzzRoute): string {
  return pattern.startsWith('/api/posts') && random.chance(0.9) ? JSON_API : 'application/json'
}

function oddBody(random: Random, fields: unknown): [string, Buffer] {
  const json = Buffer.from(JSON.stringify(fields))
  return random.pick<() => [string, Buffer]>([
    () => ['application/json', json.subarray(0, random.below(json.length + 1))],
    () => ['application/json', Buffer.from('[1e999, "\\ud800", "\\u0000"]')],
    () => ['application/json', Buffer.from([0xff, 0xfe, 0x00, 0x22])],
    () => ['application/json', Buffer.from('['.repeat(20_000))],
    () => ['application/json; charset=utf-7', json],
    () => ['application/json', Buffer.alloc(1_200_000, ' ')],
    () => ['application/x-www-form-urlencoded', Buffer.from('%=%ff&a=%&=&[]=1&a[][b]=%00')],
    () => ['application/x-www-form-urlencoded', Buffer.alloc(70_000, 'a=b&')],
    () => [random.pick(ODD_TYPES), json],
  ])()
}

function pairsOf(fields: unknown): [name: string, text: string][] {
  return Object.entries((fields ?? {}) as object).map(([name, value]) => {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
    return [name, text.slice(0, 50_000)]
  })
}

const formOf = (fields: unknown) => new URLSearchParams(pairsOf(fields)).toString()

function multipart(random: Random, fields: unknown): [string, Buffer] {
  const boundary = '----fuzz'
  const parts = pairsOf(fields).map(
    ([name, text]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${encode(name)}"\r\n\r\n${text}\r\n`
  )
  const size = random.pick([0, 10, 5000, 300_000])
  const name = random.pick(['file', 'avatar', 'files[]', '', '__proto__'])
  const filename = random.pick(['a.png', '../../a.sh', 'a\\b.txt', '', 'é\0.pdf', 'x'.repeat(400)])
  parts.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n` +
      `Content-Type: ${random.pick(['image/png', '', 'x'])}\r\n\r\n${'f'.repeat(size)}\r\n`
  )
  const end = random.pick([`--${boundary}--\r\n`, `--${boundary}--\r\n`, '', `--${boundary}`])
  const type = random.chance(0.95)
    ? `multipart/form-data; boundary=${boundary}`
    : 'multipart/form-data; boundary='
  return [type, Buffer.from(parts.join('') + end)]
}

function compress(random: Random, body: Buffer, headers: Headers): Buffer {
  const bomb = Buffer.alloc(30_000_000, ' ')
  const [encoding, bytes] = random.pick<() => [string, Buffer]>([
    () => ['gzip', gzipSync(body)],
    () => ['deflate', deflateSync(body)],
    () => ['br', brotliCompressSync(body)],
    () => ['gzip', gzipSync(body).subarray(0, 12)],
    () => ['gzip', body],
    () => ['gzip', gzipSync(bomb, { level: 1 })],
    () => ['gzip, gzip', gzipSync(gzipSync(body))],
    () => ['zstd', body],
  ])()
  headers.push(['Content-Encoding', encoding])
  return bytes
}

/** Bytes that break HTTP, or stop in the middle of it. */
function brokenRequest(random: Random, routes: FuzzRoute[], caller: Caller): FuzzRequest {
  const route = pickRoute(random, routes)
  const { bytes } = routedRequest(random, route, caller)
  const text = bytes.toString('latin1')
  const target = pathOf(random, route, caller)
  const head = (...lines: string[]) =>
    `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines.join('\r\n')}\r\n\r\n`
  const broken = random.pick<() => string>([
    () => text.slice(0, random.below(text.length)),
    () => text.replaceAll('\r\n', '\n'),
    () => text.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/9.9', 'HTTP', ''])),
    () => text.replace('Host:', random.pick(['Host :', ' Host:', 'Host: b\r\nHost:', 'Hos\0t:'])),
    () => text + text,
    () => mangle(random, text),
    () =>
      head('Content-Length: 5', 'Transfer-Encoding: chunked') + '0\r\n\r\nGET / HTTP/1.1\r\n\r\n',
    () => head('Content-Length: -1'),
    () => `${head('Content-Length: 5', 'Content-Length: 6')}abcdef`,
    () => `${head('Transfer-Encoding: chunked')}zz\r\nabc\r\n0\r\n\r\n`,
    () => `${head('Transfer-Encoding: chunked')}5\r\nab`,
    () => `${head('Content-Type: application/json', 'Content-Length: 100')}{"a":`,
    () => `${head('Content-Type: multipart/form-data; boundary=b', 'Content-Length: 900')}--b\r\n`,
    () => head(`X: ${'x'.repeat(20_000)}`),
    () => head(...Array.from({ length: 3000 }, (_, index) => `X-${index}: 1`)),
    () => `GET ${'/a'.repeat(10_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => `GET http://evil.example/ HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => `OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => `CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n`,
    () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    () => String.fromCharCode(...Array.from({ length: 200 }, () => random.below(256))),
    () => '\r\n\r\n\r\n',
  ])()
  return { bytes: Buffer.from(broken, 'latin1'), complete: false }
}
