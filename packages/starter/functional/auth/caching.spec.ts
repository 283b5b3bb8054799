import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import '#starter/helpers/fixtures/session_routes'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const HTML = { accept: 'text/html' }

/** What is the same for everybody; MCP endpoints answer GET by 405. */
const PUBLIC = [
  /^\/\.well-known\//,
  /^\/oauth\/jwks$/,
  /^\/mcp/,
  /^\/(favicon\.|manifest\.|openapi\.)/,
]

function addressesOf(method: string) {
  return Object.values(router.toJSON())
    .flat()
    .filter(({ methods, pattern }) => methods.includes(method) && !/[:*]/.test(pattern))
    .map(({ pattern }) => pattern)
    .filter((pattern) => !PUBLIC.some((own) => own.test(pattern)) && !pattern.startsWith('/_test'))
}

test.group('Caches', () => {
  test('keep no answer to a request with a session, as page or as JSON', async ({ assert }) => {
    const addresses = addressesOf('GET')
    assert.isAbove(addresses.length, 30)
    for (const address of addresses) {
      for (const headers of [HTML, {}]) {
        const { visitor } = await signedIn()
        const response = await visitor.get(address, { headers })
        assert.include(response.headers.get('cache-control') ?? '', 'no-store', address)
      }
    }
  }).timeout(120_000)

  test('keep no answer to a token', async ({ assert }) => {
    const user = await UserFactory.create()
    const token = await ApiToken.create(user, 'test', ['*'], null, 'api')
    const headers = { authorization: `Bearer ${token.plainText}` }
    for (const address of ['/api/me', '/api/posts']) {
      const response = await new Visitor().get(address, { headers })
      assert.equal(response.status, 200, address)
      assert.equal(response.headers.get('cache-control'), 'no-store', address)
    }
  })

  test('keep no answer that signs in', async ({ assert }) => {
    const user = await UserFactory.create()
    const response = await new Visitor().post('/login', {
      json: { email: user.email, password: FACTORY_PASSWORD },
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })

  test('keep what a route says they may', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.get('/_test/session/public')
    assert.equal(response.headers.get('cache-control'), 'public, max-age=60')
  })

  test('keep no page with a CSRF token, whatever its route says', async ({ assert }) => {
    const response = await new Visitor().get('/_test/session/public_form')
    assert.include(await response.text(), 'name="_token"')
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })
})
