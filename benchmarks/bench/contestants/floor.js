/* The same work by hand: what it costs without a framework. */

import { fileURLToPath } from 'node:url'

import { BASIC, CLIENT, Cookies, pkce, send, tokenRequests } from '../lib/http.js'

export const SERVERS = fileURLToPath(new URL('../servers/', import.meta.url))

const bearer = (path, token) => ({ path, headers: { authorization: `Bearer {{${token}}}` } })

/** Signs users in at a server of the folder `servers`. */
export function people(base, count) {
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const cookies = new Cookies()
      const form = { user: String(1 + (index % 20)) }
      const response = cookies.take(await send(base, { method: 'POST', path: '/login', form }))
      return { ...pkce(), ...JSON.parse(response.body), cookie: cookies.header }
    })
  )
}

/** What a browser sends to have a code made. */
export function authorization({ cookie, challenge }) {
  return {
    method: 'POST',
    path: '/authorize',
    headers: { cookie },
    form: {
      client_id: CLIENT.id,
      response_type: 'code',
      redirect_uri: CLIENT.callback,
      scope: 'read',
      state: 'state',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    },
  }
}

export const floor = {
  name: 'by hand on node:http',
  note: 'JWT with a row, families with reuse detection, users checked; one client, nothing else',
  isCeiling: true,
  start: ({ folder }) => ({
    args: ['floor.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/floor.sqlite3` },
    ready: '/jwt',
  }),
  requests: {
    ...tokenRequests('/oauth/token', 'read'),
    W3: {
      method: 'POST',
      path: '/oauth/introspect',
      headers: { authorization: BASIC },
      form: { token: '{{access_token}}' },
    },
    W4: bearer('/jwt', 'access_token'),
    W5: bearer('/token', 'api_token'),
    W6: { path: '/session', headers: { cookie: '{{cookie}}' } },
  },
  revoke: {
    method: 'POST',
    path: '/oauth/revoke',
    headers: { authorization: BASIC },
    form: { token: '{{access_token}}' },
  },
  people,
  async mint(base, person) {
    const { body } = await send(base, authorization(person))
    return JSON.parse(body).code
  },
}
