/* What sets a contestant up and checks it: untimed requests, one at a time. */

import { createHash, randomBytes } from 'node:crypto'

/** Puts values in the place of `{{names}}` in the texts of a request. */
export function fill(template, values) {
  return JSON.parse(
    JSON.stringify(template).replace(/\{\{(\w+)\}\}/g, (_, name) =>
      JSON.stringify(String(values[name] ?? '')).slice(1, -1)
    )
  )
}

/** Method, path, headers and body of a request with a form or JSON. */
function encode({ method = 'GET', path, headers = {}, form, json }) {
  if (form) {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return { method, path, headers: { ...type, ...headers }, body: `${new URLSearchParams(form)}` }
  }
  if (json) {
    const type = { 'content-type': 'application/json' }
    return { method, path, headers: { ...type, ...headers }, body: JSON.stringify(json) }
  }
  return { method, path, headers, body: '' }
}

/** The bytes of a request, for the load. */
export function toText(request, port) {
  const { method, path, headers, body } = encode(request)
  const all = { host: `127.0.0.1:${port}`, ...headers }
  if (method !== 'GET') {
    all['content-length'] = Buffer.byteLength(body)
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

export async function send(base, request) {
  const { method, path, headers, body } = encode(request)
  const response = await fetch(new URL(path, base), {
    method,
    headers,
    body: body || undefined,
    redirect: 'manual',
  })
  return {
    status: response.status,
    headers: response.headers,
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  }
}

/** The cookies of a browser that keeps everything. */
export class Cookies {
  #values = new Map()

  take(response) {
    for (const cookie of response.cookies) {
      const [pair] = cookie.split(';')
      const separator = pair.indexOf('=')
      this.#values.set(pair.slice(0, separator), pair.slice(separator + 1))
    }
    return response
  }

  get(name) {
    return decodeURIComponent(this.#values.get(name) ?? '')
  }

  get header() {
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ')
  }
}

export const CLIENT = { id: 'bench', secret: 'bench-secret', callback: 'https://client.test/cb' }

export const BASIC = `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`

/** A PKCE pair (RFC 7636). */
export function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** The requests of a token endpoint, which are the same for everybody. */
export function tokenRequests(path, scope) {
  const post = (form) => ({ method: 'POST', path, headers: { authorization: BASIC }, form })
  return {
    W1: post({ grant_type: 'client_credentials', scope }),
    W2c: post({
      grant_type: 'authorization_code',
      code: '{{code}}',
      redirect_uri: CLIENT.callback,
      code_verifier: '{{verifier}}',
    }),
    W2r: post({ grant_type: 'refresh_token', refresh_token: '{{refresh_token}}' }),
  }
}
