/* What a request costs that does nothing: the least that any application on the same ground can reach. */

import { fileURLToPath } from 'node:url'

import { BASIC } from '../lib/http.js'

const post = {
  method: 'POST',
  path: '/',
  headers: { authorization: BASIC },
  form: { grant_type: 'client_credentials', token: 'x'.repeat(200) },
}
const get = { path: '/', headers: { authorization: `Bearer ${'x'.repeat(250)}` } }
const requests = { W1: post, W2r: post, W2c: post, W3: post, W4: get, W5: get, W6: get }

export const bare = {
  name: 'AdonisJS, bare',
  note: 'no work: no middleware, the body parser on POST',
  isCeiling: true,
  requests: { ...requests, M1: post, M2: post, J1: get, J2: get, P1: get },
  start: () => ({
    args: [fileURLToPath(new URL('../servers/bare.js', import.meta.url))],
    cwd: fileURLToPath(new URL('../../../', import.meta.url)),
    env: {},
    ready: '/',
  }),
}
