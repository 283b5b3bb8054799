import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { startServer } from '#tests/helpers/server_process'
import { Visitor } from '#tests/helpers/visitor'

const start = (provider: string) =>
  startServer({ WITHOUT: provider }, undefined, 'tests/helpers/fixtures/server_with_providers.ts')

const TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const MCP_HEADERS = { accept: 'application/json, text/event-stream' }

/** What every feature answers that does not depend on the one that is missing. */
async function assertRest(assert: any, url: string, missing: string) {
  const visitor = new Visitor()
  const health = await visitor.get(`${url}/health`)
  assert.equal(health.status, 200)
  const reference = await visitor.get(`${url}/user/42`)
  assert.equal(await reference.text(), '42')
  const stranger = await visitor.get(`${url}/api/me`)
  assert.equal(stranger.status, 401)

  if (missing !== 'auth_session_provider') {
    const user = await UserFactory.create()
    const login = await visitor.post(`${url}/login`, {
      json: { email: user.email, password: FACTORY_PASSWORD },
    })
    assert.equal(login.status, 200)
    const me = await visitor.get(`${url}/api/me`)
    assert.equal(me.status, 200)
  }
  if (missing !== 'mcp_provider') {
    const tools = await visitor.post(`${url}/mcp`, { json: TOOLS, headers: MCP_HEADERS })
    assert.equal(tools.status, 200)
  }
}

test.group('A provider that is taken out', () => {
  test('AuthSessionProvider: no sign-in, no session pages, and the rest works', async ({
    assert,
  }) => {
    const url = await start('auth_session_provider')
    for (const [method, path] of [
      ['GET', '/login'],
      ['POST', '/login'],
      ['POST', '/logout'],
      ['GET', '/register'],
      ['GET', '/account'],
      ['GET', '/password/forgot'],
      ['GET', '/__auth__/csrf-cookie'],
    ]) {
      const response = await fetch(url + path, { method })
      assert.include([404, 405], response.status, `${method} ${path}`)
    }
    await assertRest(assert, url, 'auth_session_provider')
  })

  for (const provider of ['auth_api_token_provider', 'auth_throttle_provider']) {
    test(`${provider}: the rest works`, async ({ assert }) => {
      await assertRest(assert, await start(provider), provider)
    })
  }

  test('McpProvider: its routes answer 404 and the rest works', async ({ assert }) => {
    const url = await start('mcp_provider')
    const response = await new Visitor().post(`${url}/mcp`, { json: TOOLS, headers: MCP_HEADERS })
    assert.equal(response.status, 404)
    await assertRest(assert, url, 'mcp_provider')
  })
})
