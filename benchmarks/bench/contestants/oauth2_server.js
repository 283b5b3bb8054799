/* @node-oauth/oauth2-server: no families of refresh tokens, no introspection, no sessions, no API tokens. */

import { send, tokenRequests } from '../lib/http.js'
import { SERVERS, authorization, people } from './floor.js'

export const oauth2Server = {
  name: '@node-oauth/oauth2-server',
  note: 'on Express, JWT with a row; no reuse detection over families, no introspection, no sessions',
  start: ({ folder }) => ({
    args: ['oauth2_server.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/oauth2_server.sqlite3` },
    ready: '/health',
  }),
  requests: {
    ...tokenRequests('/oauth/token', 'read'),
    W4: { path: '/me', headers: { authorization: 'Bearer {{access_token}}' } },
  },
  revoke: { method: 'POST', path: '/revoke', form: { token: '{{access_token}}' } },
  people,
  async mint(base, person) {
    const { body } = await send(base, authorization(person))
    return JSON.parse(body).code
  },
}
