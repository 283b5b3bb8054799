import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'

import { Visitor } from '#starter/helpers/visitor'

import type { ServerProcess } from './servers.js'
import { WAITING } from './waiting_tool.js'

const PERSON = {
  fullName: 'Ann',
  email: 'ann@example.com',
  password: 'correct horse battery',
}

/** Where a caller pretends to be. */
const PRETENDED = '203.0.113.9'

/** Plain http leads to the same address under https. */
export async function redirectsToHttps(origin: string): Promise<void> {
  const plain = origin.replace('https:', 'http:')
  const response = await fetch(`${plain}/login?next=1`, { redirect: 'manual' })
  assert.equal(response.status, 308)
  assert.equal(response.headers.get('location'), `${origin}/login?next=1`)
}

export async function isHealthy(origin: string): Promise<void> {
  for (const path of ['/health', '/health/live', '/health/ready']) {
    assert.equal((await fetch(origin + path)).status, 200, path)
  }
}

/** Registers and signs in. Cookies travel over https alone, and scripts see none but the CSRF token. */
export async function signsIn(origin: string): Promise<Visitor> {
  const visitor = new Visitor()
  const { email, password } = PERSON
  const registered = await visitor.post(`${origin}/register`, {
    json: { ...PERSON, password_confirmation: password },
  })
  assert.equal(registered.status, 201)
  const response = await visitor.send(`${origin}/login`, { email, password })
  assert.equal(response.status, 200)
  for (const cookie of response.setCookies) {
    assert.match(cookie, /; Secure/i)
    assert.equal(/; HttpOnly/i.test(cookie), !cookie.startsWith('XSRF-TOKEN='), cookie)
  }
  assert.match(response.headers.get('strict-transport-security') ?? '', /max-age/)
  return visitor
}

/** The servers see who calls: not the proxy, and not whom the caller pretends to be. */
export async function seesTheCaller(origin: string, visitor: Visitor): Promise<void> {
  const address = new URL(origin).hostname
  const { email, password } = PERSON
  const request = https.request(`${origin}/login`, {
    method: 'POST',
    /* Every loopback address is this machine's own; nginx calls the servers from another one. */
    localAddress: address,
    headers: { 'content-type': 'application/json', 'x-forwarded-for': PRETENDED },
  })
  request.end(JSON.stringify({ email, password }))
  const [login] = (await once(request, 'response')) as [IncomingMessage]
  login.resume()
  assert.equal(login.statusCode, 200)

  const response = await visitor.get(`${origin}/account/sessions`)
  const { sessions } = (await response.json()) as { sessions: { ip_address: string }[] }
  const addresses = sessions.map(({ ip_address: seen }) => seen)
  assert.ok(addresses.includes(address), addresses.join())
  assert.ok(!addresses.includes(PRETENDED), addresses.join())
}

/** A session of one process is one of the other, and requests can be found in the log of either. */
export async function sharesSessions(
  origin: string,
  visitor: Visitor,
  servers: ServerProcess[]
): Promise<void> {
  const ids: string[] = []
  for (let attempt = 0; attempt < servers.length * 2; attempt++) {
    const response = await visitor.get(`${origin}/api/me`)
    assert.equal(response.status, 200)
    ids.push(response.headers.get('x-request-id')!)
  }
  for (const { log, url } of servers) {
    assert.ok(
      ids.some((id) => log.includes(id)),
      `${url} has answered nothing`
    )
  }
}

/** Metadata and tokens name the public address. */
export async function namesItsIssuer(origin: string): Promise<void> {
  const wellKnown = `${origin}/.well-known/oauth-authorization-server`
  const metadata = (await (await fetch(wellKnown)).json()) as Record<string, string>
  assert.equal(metadata.issuer, origin)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'introspection_endpoint']) {
    assert.ok(metadata[name]!.startsWith(`${origin}/`), `${name}: ${metadata[name]}`)
  }
  const challenge = await fetch(`${origin}/mcp/account`, { method: 'POST' })
  assert.equal(challenge.status, 401)
  assert.match(
    challenge.headers.get('www-authenticate')!,
    new RegExp(`resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp/account"`)
  )
}

/** A request to an MCP server. */
export function mcpRequest(method: string, params: object): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  }
}

/**
 * Progress arrives while the call goes on: the tool ends when it is released,
 * and it is released when its progress has arrived.
 */
export async function streams(origin: string, release: () => Promise<void>): Promise<void> {
  const response = await fetch(origin + WAITING, {
    ...mcpRequest('tools/call', { name: 'wait_for_release', _meta: { progressToken: 1 } }),
    signal: AbortSignal.timeout(30_000),
  })
  assert.match(response.headers.get('content-type')!, /^text\/event-stream/)
  let received = ''
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    received += chunk
    if (received.includes('notifications/progress') && !received.includes('"result"')) {
      await release()
    }
  }
  assert.match(received, /"result":.*released/)
}
