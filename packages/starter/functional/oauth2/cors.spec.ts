import { test } from '@japa/runner'

import { useConfig } from '#starter/helpers/oauth'
import { Visitor } from '#starter/helpers/visitor'

/** A page of no origin that is known here, and one that config/cors.ts allows to come with cookies. */
const ORIGINS = ['https://inspector.example.com', 'http://localhost:5173']
const METADATA = '/.well-known/oauth-authorization-server'
const ENDPOINTS = ['/oauth/token', '/oauth/revoke', '/oauth/register']

const preflight = (path: string, origin: string, method: string, headers: string) =>
  new Visitor().request('OPTIONS', path, {
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })

for (const origin of ORIGINS) {
  test.group(`CORS of OAuth endpoints | a page of ${origin}`, () => {
    test('may read the metadata, without cookies', async ({ assert }) => {
      const { headers } = await new Visitor().get(METADATA, { headers: { origin } })
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.isFalse(headers.has('access-control-allow-credentials'))
    })

    test('may send the headers of clients to {$self}, without cookies')
      .with([METADATA, ...ENDPOINTS])
      .run(async ({ assert }, path) => {
        const method = path === METADATA ? 'GET' : 'POST'
        const asked = 'authorization, content-type, mcp-protocol-version'
        const { status, headers } = await preflight(path, origin, method, asked)
        assert.equal(status, 204)
        assert.equal(headers.get('access-control-allow-origin'), '*')
        assert.equal(headers.get('access-control-allow-methods'), method)
        assert.equal(headers.get('access-control-allow-headers'), asked)
        assert.equal(headers.get('access-control-max-age'), '600')
        assert.isFalse(headers.has('access-control-allow-credentials'))
      })

    test('may read the answers of {$self}, refusals and their challenges among them')
      .with(ENDPOINTS)
      .run(async ({ assert }, path) => {
        await useConfig({ dynamicRegistration: true })
        const { status, headers } = await new Visitor().post(path, {
          body: path === '/oauth/register' ? '{}' : 'grant_type=refresh_token&token=x',
          headers: {
            origin,
            'sec-fetch-site': 'cross-site',
            'content-type':
              path === '/oauth/register' ? 'application/json' : 'application/x-www-form-urlencoded',
          },
        })
        assert.oneOf(status, [400, 401])
        assert.equal(headers.get('access-control-allow-origin'), '*')
        assert.equal(headers.get('access-control-expose-headers'), 'WWW-Authenticate, Retry-After')
        assert.isFalse(headers.has('access-control-allow-credentials'))
      })

    test('may read that a body is too long', async ({ assert }) => {
      const { status, headers } = await new Visitor().post('/oauth/token', {
        body: 'x'.repeat(100_000),
        headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
      })
      assert.equal(status, 400)
      assert.equal(headers.get('access-control-allow-origin'), '*')
    })
  })
}

test.group('CORS of OAuth endpoints', () => {
  test('introspection and approval are not for pages of other origins: {$self}')
    .with(['/oauth/introspect', '/oauth/authorize', '/oauth/tokens'])
    .run(async ({ assert }, path) => {
      const { headers } = await preflight(path, ORIGINS[0]!, 'POST', 'content-type')
      assert.isFalse(headers.has('access-control-allow-origin'))
    })
})
