/* This application: its production build, with every middleware and every promise. */

import { fileURLToPath } from 'node:url'

import { BASIC, CLIENT, Cookies, fill, pkce, send, tokenRequests } from '../lib/http.js'
import { run } from '../lib/server.js'

const BUILD = fileURLToPath(new URL('../../../build/', import.meta.url))
const SEED = fileURLToPath(new URL('../seed.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../servers/ours.js', import.meta.url))
const JSON_ONLY = { accept: 'application/json' }
const MCP = { accept: 'application/json, text/event-stream' }

const me = (headers) => ({ path: '/api/me', headers: { ...JSON_ONLY, ...headers } })
const mcp = (message) => ({
  method: 'POST',
  path: '/mcp',
  headers: MCP,
  json: { jsonrpc: '2.0', id: 1, ...message },
})

const AUTHORIZE = {
  method: 'POST',
  path: '/oauth/authorize',
  headers: { ...JSON_ONLY, 'cookie': '{{cookie}}', 'x-xsrf-token': '{{csrf}}' },
  json: {
    client_id: CLIENT.id,
    response_type: 'code',
    redirect_uri: CLIENT.callback,
    scope: 'posts:read',
    code_challenge: '{{challenge}}',
    code_challenge_method: 'S256',
  },
}

/**
 * @param database `sqlite` or `pg`
 * @param watched what watches it: its name and its variables
 */
export function ours(database, watched = {}) {
  let seeded
  const names = ['this application', database === 'pg' && 'PostgreSQL', watched.name]

  return {
    name: names.filter(Boolean).join(', '),
    note: 'JWT with a row, families with reuse detection, grants, users checked; session, CSRF and header middleware on every route',

    start({ folder, port }) {
      const env = {
        APP_URL: `http://127.0.0.1:${port}`,
        APP_KEY: 'benchmark-benchmark-benchmark-benchmark',
        DB_CONNECTION: database,
        DB_HOST: process.env.DB_HOST ?? '127.0.0.1',
        DB_USER: process.env.DB_USER ?? 'postgres',
        DB_DATABASE: process.env.DB_DATABASE ?? 'app_bench',
        SQLITE_FILE: `${folder}/ours-${port}.sqlite3`,
        SESSION_STORE: 'database',
        SESSION_SECURE: 'false',
        API_TOKEN_STORE: 'database',
        OAUTH_KEY: 'benchmark-benchmark-benchmark-benchmark',
        OAUTH_ISSUER: `http://127.0.0.1:${port}`,
        OAUTH_TOKENS_STORE: 'database',
        OAUTH_CLIENTS_STORE: 'database',
        LIMITER_STORE: 'memory',
        MAIL_MAILER: 'log',
        WORKSPACES_COMMON: 'true',
        PORT: String(port),
        ...watched.env,
      }
      run(['ace.js', 'migration:fresh', '--force'], { cwd: BUILD, env })
      seeded = JSON.parse(run([SEED], { cwd: BUILD, env }).trim().split('\n').at(-1))
      return { args: [SERVER], cwd: BUILD, env, ready: '/health' }
    },

    requests: {
      ...tokenRequests('/oauth/token', 'posts:read'),
      W3: {
        method: 'POST',
        path: '/oauth/introspect',
        headers: { authorization: BASIC },
        form: { token: '{{access_token}}' },
      },
      W4: me({ authorization: 'Bearer {{access_token}}' }),
      W5: me({ authorization: 'Bearer {{api_token}}' }),
      W6: me({ cookie: '{{cookie}}' }),
      M1: mcp({
        method: 'tools/call',
        params: { name: 'count_words', arguments: { text: 'The quick brown fox' } },
      }),
      M2: mcp({ method: 'tools/list' }),
      J1: { path: '/api/posts', headers: { authorization: 'Bearer {{api_token}}' } },
      J2: { path: '/api/posts?include=author', headers: { authorization: 'Bearer {{api_token}}' } },
      P1: { path: '/login', headers: { accept: 'text/html' } },
    },

    revoke: {
      method: 'POST',
      path: '/oauth/revoke',
      headers: { authorization: BASIC },
      form: { token: '{{access_token}}' },
    },

    /** One after the other: too many at once would be refused, for a hash takes long. */
    async people(base, count) {
      const people = []
      for (const { email, apiToken } of seeded.slice(0, count)) {
        const cookies = new Cookies()
        const json = { email, password: 'bench-password' }
        cookies.take(await send(base, { method: 'POST', path: '/login', headers: JSON_ONLY, json }))
        const csrf = cookies.get('XSRF-TOKEN')
        people.push({ ...pkce(), api_token: apiToken, cookie: cookies.header, csrf })
      }
      return people
    },

    async mint(base, person) {
      const request = fill(AUTHORIZE, person)
      request.json.approved = true
      const { body } = await send(base, request)
      return JSON.parse(body).code
    },
  }
}
