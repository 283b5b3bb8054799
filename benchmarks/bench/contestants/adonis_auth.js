/* @adonisjs/auth has no OAuth: access tokens and sessions. */

import { Cookies, send } from '../lib/http.js'
import { SERVERS } from './floor.js'

export const adonisAuth = {
  name: '@adonisjs/auth',
  note: 'access tokens and sessions with a row; both write their last use on every request',
  start: ({ folder }) => ({
    args: ['adonis_auth.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/adonis_auth.sqlite3` },
    ready: '/health',
  }),
  requests: {
    W5: { path: '/me/token', headers: { authorization: 'Bearer {{api_token}}' } },
    W6: { path: '/me/session', headers: { cookie: '{{cookie}}' } },
  },
  revoke: {
    method: 'DELETE',
    path: '/tokens',
    headers: { authorization: 'Bearer {{api_token}}' },
  },

  people(base, count) {
    return Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const json = { email: `user${index + 1}@bench.test`, password: 'bench-password' }
        const cookies = new Cookies()
        cookies.take(await send(base, { method: 'POST', path: '/login', json }))
        const { body } = await send(base, { method: 'POST', path: '/tokens', json })
        return { api_token: JSON.parse(body).token, cookie: cookies.header }
      })
    )
  },
}
