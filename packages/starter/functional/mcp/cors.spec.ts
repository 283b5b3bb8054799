import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import '#starter/helpers/fixtures/mcp/vault_server'
import { JSON_TYPE, url } from '#starter/helpers/mcp_wire'

const OWN = new URL(appUrl).origin
const FOREIGN = 'https://inspector.example'
const WELL_KNOWN = '/.well-known/oauth-protected-resource/mcp/vault'
const NAMES =
  'accept, authorization, dpop, content-type, mcp-protocol-version, mcp-method, mcp-name, mcp-param-city, last-event-id, mcp-session-id'

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })

function preflight(path: string, origin: string, method = 'POST', headers = NAMES) {
  return fetch(url(path), {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })
}

test.group('MCP CORS | Mounts', () => {
  test("lets pages of allowed origins send MCP's headers, without cookies: {$self}")
    .with([OWN, 'http://localhost:6274'])
    .run(async ({ assert }, origin) => {
      const { status, headers } = await preflight('/mcp/conformance', origin)
      assert.equal(status, 204)
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.equal(headers.get('access-control-allow-headers'), NAMES)
      assert.equal(headers.get('access-control-allow-methods'), 'POST, GET, DELETE')
      assert.isNull(headers.get('access-control-allow-credentials'))
      assert.include(headers.get('vary')!.toLowerCase(), 'origin')
    })

  test('allows no header that MCP does not have', async ({ assert }) => {
    const asked = 'x-evil, mcp-params, content-type, mcp-param-a b, cookie'
    const { headers } = await preflight('/mcp/conformance', OWN, 'POST', asked)
    assert.equal(headers.get('access-control-allow-headers'), 'content-type')
  })

  test('lets pages of no other origin in: {$self}')
    .with([FOREIGN, 'http://localhost:5173.evil.example', 'null'])
    .run(async ({ assert }, origin) => {
      const { status, headers } = await preflight('/mcp/conformance', origin)
      assert.equal(status, 204)
      assert.isNull(headers.get('access-control-allow-origin'))
      assert.isNull(headers.get('access-control-allow-headers'))
    })

  test('a page reads the challenge, the session id and the answer to GET', async ({ assert }) => {
    const challenge = await fetch(url('/mcp/vault'), {
      method: 'POST',
      headers: { ...JSON_TYPE, origin: OWN },
      body: LIST,
    })
    assert.equal(challenge.status, 401)
    assert.equal(challenge.headers.get('access-control-allow-origin'), OWN)
    const exposed = challenge.headers.get('access-control-expose-headers')!.split(', ')
    assert.includeMembers(exposed, ['WWW-Authenticate', 'Mcp-Session-Id', 'Retry-After'])

    const stream = await fetch(url('/mcp/vault'), { headers: { origin: OWN } })
    assert.equal(stream.status, 405)
    assert.equal(stream.headers.get('access-control-allow-origin'), OWN)
  })

  test('other routes go by config/cors.ts', async ({ assert }) => {
    const { headers } = await preflight('/api/me', 'http://localhost:5173', 'GET', 'content-type')
    assert.equal(headers.get('access-control-allow-credentials'), 'true')
  })
})

test.group('MCP CORS | Metadata of protected mounts', () => {
  test('is for pages of every origin, with any header and without cookies', async ({ assert }) => {
    for (const origin of [FOREIGN, 'null', 'http://localhost:5173']) {
      const asked = await preflight(WELL_KNOWN, origin, 'GET', 'mcp-protocol-version, x-other')
      assert.equal(asked.status, 204)
      assert.equal(asked.headers.get('access-control-allow-origin'), '*')
      assert.equal(asked.headers.get('access-control-allow-methods'), 'GET')
      assert.equal(
        asked.headers.get('access-control-allow-headers'),
        'mcp-protocol-version, x-other'
      )
      const { status, headers } = await fetch(url(WELL_KNOWN), { headers: { origin } })
      assert.equal(status, 200)
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.isNull(headers.get('access-control-allow-credentials'))
    }
  })
})
