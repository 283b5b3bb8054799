/* oidc-provider: opaque access tokens, which are the key of their record; its own login session. */

import { BASIC, CLIENT, Cookies, pkce, send, tokenRequests } from '../lib/http.js'
import { SERVERS } from './floor.js'

const bearer = { authorization: 'Bearer {{access_token}}' }
const form = (path) => ({
  method: 'POST',
  path,
  headers: { authorization: BASIC },
  form: { token: '{{access_token}}' },
})

function authorizePath({ challenge }) {
  const query = new URLSearchParams({
    client_id: CLIENT.id,
    response_type: 'code',
    redirect_uri: CLIENT.callback,
    scope: 'read',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return `/auth?${query}`
}

const location = (response) => response.headers.get('location')

export const oidcProvider = {
  name: 'oidc-provider',
  note: 'opaque token with a row, the token being its key; users from memory',
  start: ({ folder }) => ({
    args: ['oidc_provider.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/oidc_provider.sqlite3` },
    ready: '/health',
  }),
  requests: {
    ...tokenRequests('/token', 'read'),
    W3: form('/token/introspection'),
    W5: { path: '/me/token', headers: bearer },
    W6: { path: '/me/session', headers: { cookie: '{{cookie}}' } },
  },
  revoke: form('/token/revocation'),

  /** The first authorization leads to the login, and back. */
  people(base, count) {
    return Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const person = pkce()
        const cookies = new Cookies()
        let path = authorizePath(person)
        for (let step = 0; step < 8 && !path.startsWith(CLIENT.callback); step++) {
          const headers = { cookie: cookies.header }
          const next = location(cookies.take(await send(base, { path, headers })))
          const url = new URL(next, base)
          path = next.startsWith(CLIENT.callback) ? next : url.pathname + url.search
          if (path.startsWith('/login/')) {
            path += `?user=user${index}`
          }
        }
        return { ...person, cookie: cookies.header }
      })
    )
  },

  async mint(base, person) {
    const response = await send(base, {
      path: authorizePath(person),
      headers: { cookie: person.cookie },
    })
    return new URL(location(response)).searchParams.get('code')
  },
}
