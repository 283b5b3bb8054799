/* @julr/sesame: opaque tokens with a row, through Lucid. */

import { BASIC, CLIENT, Cookies, pkce, send, tokenRequests } from '../lib/http.js'
import { SERVERS } from './floor.js'

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
    state: 'bench',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${query}`
}

/** A parameter of the page that the answer leads to. */
function leadsTo(base, response, parameter) {
  return new URL(response.headers.get('location'), base).searchParams.get(parameter)
}

export const sesame = {
  name: '@julr/sesame',
  note: 'opaque token with a row, on AdonisJS and Lucid; introspection does not look at the user',
  start: ({ folder }) => ({
    args: ['sesame.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/sesame.sqlite3` },
    ready: '/health',
  }),
  requests: {
    ...tokenRequests('/oauth/token', 'read'),
    W3: form('/oauth/introspect'),
    W4: { path: '/me', headers: { authorization: 'Bearer {{access_token}}' } },
  },
  revoke: form('/oauth/revoke'),

  /** Once the consent is given, an authorization request is answered with a code. */
  people(base, count) {
    return Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const person = pkce()
        const cookies = new Cookies()
        const email = `user${index + 1}@bench.test`
        const json = { email, password: 'bench-password' }
        cookies.take(await send(base, { method: 'POST', path: '/login', json }))
        const path = authorizePath(person)
        const asked = await send(base, { path, headers: { cookie: cookies.header } })
        cookies.take(asked)
        await send(base, {
          method: 'POST',
          path: '/oauth/consent',
          headers: { cookie: cookies.header },
          form: { auth_token: leadsTo(base, asked, 'auth_token'), accept: '1' },
        })
        return { ...person, cookie: cookies.header }
      })
    )
  },

  async mint(base, person) {
    const path = authorizePath(person)
    const response = await send(base, { path, headers: { cookie: person.cookie } })
    return leadsTo(base, response, 'code')
  },
}
