/* better-auth: opaque tokens stored hashed. Its JWTs are not stored, so it takes no part in W4. */

import { CLIENT, Cookies, pkce, send, tokenRequests } from '../lib/http.js'
import { SERVERS } from './floor.js'

const form = (path) => ({
  method: 'POST',
  path,
  headers: { authorization: '{{basic}}' },
  form: { token: '{{access_token}}', token_type_hint: 'access_token' },
})

const json = async (base, path) => JSON.parse((await send(base, { path })).body)

function asClient(requests) {
  return Object.fromEntries(
    Object.entries(requests).map(([name, request]) => [
      name,
      { ...request, headers: { authorization: '{{basic}}' } },
    ])
  )
}

export const betterAuth = {
  name: 'better-auth',
  note: 'opaque token with a row; API keys write their last use on every request',
  start: ({ folder }) => ({
    args: ['better_auth.js'],
    cwd: SERVERS,
    env: { SQLITE_FILE: `${folder}/better_auth.sqlite3` },
    ready: '/health',
  }),
  requests: {
    ...asClient(tokenRequests('/auth/oauth2/token', 'read')),
    W3: form('/auth/oauth2/introspect'),
    W5: { path: '/me/token', headers: { authorization: 'Bearer {{api_token}}' } },
    W6: { path: '/me/session', headers: { cookie: '{{cookie}}' } },
  },

  async people(base, count) {
    const { keys, id, secret } = await json(base, '/seeded')
    const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
    const users = Object.entries(keys).slice(0, count)
    return Promise.all(
      users.map(async ([email, key]) => {
        const cookies = new Cookies()
        cookies.take(
          await send(base, {
            method: 'POST',
            path: '/auth/sign-in/email',
            headers: { origin: base },
            json: { email, password: 'bench-password' },
          })
        )
        return { ...pkce(), id, basic, api_token: key, cookie: cookies.header }
      })
    )
  },

  async mint(base, { id, challenge, cookie }) {
    const query = new URLSearchParams({
      client_id: id,
      response_type: 'code',
      redirect_uri: CLIENT.callback,
      scope: 'read offline_access',
      state: 'bench',
      code_challenge: challenge,
      code_challenge_method: 'S256',
    })
    /* A client that is no navigating browser gets the redirect as JSON. */
    const path = `/auth/oauth2/authorize?${query}`
    const { body } = await send(base, { path, headers: { cookie } })
    return new URL(JSON.parse(body).url).searchParams.get('code')
  },
}
