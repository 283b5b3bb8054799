import type { Caller } from './caller.js'
import type { Random } from './random.js'

const DEEP = JSON.parse(`${'{"a":'.repeat(60)}1${'}'.repeat(60)}`)

/** Texts that programs stumble over. */
export const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  'a\r\nX-Injected: 1',
  '\ud800',
  '\u202e\ufeff',
  '🙂',
  'ﬃ İ ß',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '{{ 1 + 1 }}',
  '../../../etc/passwd',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '*',
  '%00',
  '-1',
  '0',
  '1',
  '2',
  '1.5',
  '1e309',
  '2147483648',
  '9223372036854775808',
  '0x10',
  'a@example.com',
  'javascript:alert(1)',
  '//evil.example',
  'https://evil.example/',
  'authorization_code',
  'x'.repeat(300),
  'y'.repeat(20_000),
]

/** Values that are no texts, or not where one expects them. */
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  [],
  {},
  [[]],
  [null],
  ['a', 'a'],
  { a: { b: [1] } },
  JSON.parse('{"__proto__": {"polluted": true}}'),
  { constructor: { prototype: 1 } },
  { toString: 1, length: -1 },
  DEEP,
  Array.from({ length: 12_000 }, () => 1),
]

const NAMES = [
  'email',
  'password',
  'name',
  'fullName',
  'token',
  'scope',
  'state',
  'resource',
  'redirect_uri',
  'client_id',
  'grant_type',
  'page',
  'page[number]',
  'page[size]',
  'page[cursor]',
  'sort',
  'include',
  'filter[title]',
  'filter[author]',
  'fields[posts]',
  '_method',
  '_token',
  'prompt',
  'max_age',
  'return_to',
  'a[b][c]',
  'a[]',
  '__proto__[x]',
  'toString',
]

export const textOf = (random: Random) => random.pick(TEXTS)
export const nameOf = (random: Random) => random.pick(NAMES)

export function valueOf(random: Random): unknown {
  return random.chance(0.5) ? textOf(random) : random.pick(VALUES)
}

/** Changes, drops and adds members of a value, at any depth. */
export function mutate(random: Random, value: any): unknown {
  if (random.chance(0.04)) {
    return valueOf(random)
  }
  if (Array.isArray(value)) {
    return value.map((item) => mutate(random, item))
  }
  if (typeof value !== 'object' || value === null) {
    return random.chance(0.08) ? valueOf(random) : value
  }
  const entries = Object.entries(value)
    .filter(() => !random.chance(0.06))
    .map(([name, member]) => [name, mutate(random, member)])
  if (random.chance(0.1)) {
    entries.push([nameOf(random), valueOf(random)])
  }
  return Object.fromEntries(entries)
}

const rpc = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const tool = (name: string, args: object) => rpc('tools/call', { name, arguments: args })

/** Bodies that routes understand, by the route's pattern. */
export function bodiesOf(pattern: string, caller: Caller): any[] {
  const client = { client_id: caller.client.id, client_secret: caller.client.secret }
  const post = {
    data: { type: 'posts', id: caller.postId, attributes: { title: 'Title', body: 'Body' } },
  }
  const bodies: Record<string, any[]> = {
    '/register': [
      {
        email: 'new@example.com',
        fullName: 'A name',
        password: caller.newPassword,
        password_confirmation: caller.newPassword,
      },
      { email: caller.email, password: caller.password, password_confirmation: '' },
    ],
    '/login': [
      { email: caller.email, password: caller.password, remember: true },
      { email: caller.email, password: caller.newPassword },
    ],
    '/account': [{ fullName: 'A name' }],
    '/account/password': [
      {
        current_password: caller.newPassword,
        password: caller.newPassword,
        password_confirmation: caller.newPassword,
      },
    ],
    '/account/delete': [{ password: caller.newPassword }],
    '/account/tokens': [{ name: 'A token', abilities: ['posts:read'], ttl: 60 }],
    '/api/tokens': [{ name: 'A token', abilities: ['posts:read'], ttl: 60 }],
    '/password/email': [{ email: caller.email }, { email: 'nobody@example.com' }],
    '/password/reset': [
      {
        email: caller.email,
        token: 'a-token',
        password: caller.newPassword,
        password_confirmation: caller.newPassword,
      },
    ],
    '/oauth/authorize': [
      {
        response_type: 'code',
        client_id: caller.client.id,
        redirect_uri: caller.redirectUri,
        scope: 'posts:read',
        state: 'a state',
        resource: 'https://api.example.com/mcp',
        code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
        code_challenge_method: 'S256',
        approved: true,
      },
    ],
    '/oauth/token': [
      {
        grant_type: 'authorization_code',
        code: caller.code,
        code_verifier: caller.verifier,
        redirect_uri: caller.redirectUri,
        ...client,
      },
      { grant_type: 'refresh_token', refresh_token: caller.refreshToken, ...client },
      { grant_type: 'client_credentials', scope: 'posts:read', ...client },
      { grant_type: 'password', username: caller.email, password: caller.password, ...client },
    ],
    '/token': [
      { grant_type: 'password', username: caller.email, password: caller.password, ...client },
    ],
    '/oauth/introspect': [
      { token: caller.accessToken, ...client },
      { token: caller.refreshToken, token_type_hint: 'refresh_token', ...client },
    ],
    '/oauth/revoke': [{ token: 'a-token', ...client }],
    '/oauth/personal-access-tokens': [{ name: 'A token', scopes: ['posts:read'] }],
    '/api/posts': [post],
    '/api/posts/:id': [post],
    '/api/posts/:id/relationships/comments': [{ data: [{ type: 'comments', id: '1' }] }],
    '/mcp': [
      rpc('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'fuzz', version: '1' },
      }),
      rpc('ping'),
      rpc('tools/list', { cursor: 'a' }),
      rpc('resources/list'),
      rpc('resources/templates/list'),
      rpc('resources/read', { uri: `posts://${caller.postId}` }),
      rpc('prompts/list'),
      rpc('prompts/get', { name: 'summarize_post', arguments: { id: caller.postId } }),
      rpc('completion/complete', {
        ref: { type: 'ref/prompt', name: 'summarize_post' },
        argument: { name: 'id', value: '1' },
      }),
      tool('count_words', { text: 'Some words' }),
      tool('search_posts', { query: 'post', limit: 5 }),
      tool('read_post', { id: caller.postId }),
      tool('create_post', { title: 'Title', body: 'Body' }),
      tool('update_post', { id: caller.postId, title: 'Title' }),
      tool('my_posts', {}),
      [rpc('ping'), rpc('tools/list')],
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ],
  }
  return bodies[pattern] ?? [{ email: caller.email, name: 'A name' }]
}
