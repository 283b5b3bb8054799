import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { stopClock } from '#starter/helpers/time'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }

function withoutNulls(fields: Record<string, string | null>) {
  return Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== null)
  )
}

const create = async (visitor: Visitor, fields: Record<string, string | null> = {}) =>
  visitor.post('/account/access-tokens', {
    form: withoutNulls({
      'name': 'Nightly <script>',
      'scopes[]': 'posts:read',
      'ttl': '604800',
      '_token': visitor.csrfToken,
      ...fields,
    }),
    headers: { ...PAGE, referer: await serverUrl('/account/access-tokens') },
  })

/** The page that a created token is shown on. */
const made = async (visitor: Visitor, fields?: Record<string, string | null>) => {
  await create(visitor, fields)
  return visitor.get('/account/access-tokens', { headers: PAGE })
}

const tokenIn = (page: string) => /id="new-token">([^<]+)</.exec(page)?.[1]

async function listOf(visitor: Visitor) {
  const response = await visitor.get('/oauth/personal-access-tokens')
  return (await response.json()) as any[]
}

test.group('/account/access-tokens', () => {
  test('the page says once what such a token opens', async ({ assert }) => {
    const { visitor } = await signedIn()
    const page = await (await visitor.get('/account/access-tokens', { headers: PAGE })).text()
    assert.lengthOf(page.match(/MCP servers too/g)!, 1)
  })

  test('tells when a token was used last, to the minute, and no other token', async ({
    assert,
  }) => {
    const tick = stopClock()
    const { visitor } = await signedIn()
    const used = tokenIn(await (await made(visitor, { name: 'used' })).text())
    await create(visitor, { name: 'new' })
    const server = await app.container.make(AuthorizationServer)
    const call = async () => {
      await new Visitor().get('/api/me', { headers: { authorization: `Bearer ${used}` } })
      await server.usedGrants.settled()
      const response = await visitor.get('/account/access-tokens')
      assert.include(response.headers.get('cache-control')!, 'no-store')
      const tokens = (await response.json()) as any[]
      return Object.fromEntries(tokens.map(({ name, last_used_at: at }) => [name, at]))
    }
    const first = await call()
    assert.equal(first.used, Date.now() / 1000)
    assert.isNull(first.new)
    tick(59)
    assert.equal((await call()).used, first.used)
    tick(1)
    assert.isAbove((await call()).used, first.used)
    const page = await visitor.get('/account/access-tokens', { headers: PAGE })
    assert.match(await page.text(), /last used[\s\S]*never used|never used[\s\S]*last used/)
  })

  test('creates a token with scopes and an expiry, shows it once, and it opens the API', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const response = await made(visitor)
    assert.include(response.headers.get('cache-control')!, 'no-store')
    const page = await response.text()
    assert.include(page, 'Nightly &lt;script&gt;')
    const headers = { authorization: `Bearer ${tokenIn(page)}` }
    const me = await new Visitor().get('/api/me', { headers })
    assert.deepEqual(((await me.json()) as any).scopes, ['posts:read'])

    const again = await visitor.get('/account/access-tokens', { headers: PAGE })
    assert.isUndefined(tokenIn(await again.text()))
    const [token] = await listOf(visitor)
    assert.equal(token.expires_at - token.created_at, 604800)
    const events = await visitor.get('/account/security')
    assert.deepInclude(((await events.json()) as any).events[0], {
      type: 'token_created',
      details: { name: 'Nightly <script>' },
    })
  })

  test('revokes a token of this person, and no other, and notes it', async ({ assert }) => {
    const [{ visitor: owner }, { visitor: stranger }] = [await signedIn(), await signedIn()]
    const token = tokenIn(await (await made(owner)).text())
    const [{ jti }] = await listOf(owner)
    const revoke = (visitor: Visitor) =>
      visitor.post(`/account/access-tokens/${jti}/revoke`, {
        form: { _token: visitor.csrfToken, sure: '1' },
        headers: PAGE,
      })
    const me = () => new Visitor().get('/api/me', { headers: { authorization: `Bearer ${token}` } })

    await revoke(stranger)
    assert.equal((await me()).status, 200)
    assert.equal((await revoke(owner)).headers.get('location'), '/account/access-tokens')
    assert.equal((await me()).status, 401)
    const { events } = (await (await owner.get('/account/security')).json()) as any
    assert.deepInclude(events[0], {
      type: 'token_revoked',
      details: { name: 'Nightly <script>' },
    })
    await revoke(owner)
    const again = (await (await owner.get('/account/security')).json()) as any
    assert.lengthOf(again.events, events.length)
  })

  test('a form without {what} comes back with a message, and makes no token')
    .with([
      { what: 'a name', fields: { name: '' }, message: 'Name is missing' },
      { what: 'a scope', fields: { 'scopes[]': null }, message: 'Choose at least one permission' },
    ])
    .run(async ({ assert }, { fields, message }) => {
      const { visitor } = await signedIn()
      const response = await create(visitor, fields as {})
      assert.equal(response.status, 302)
      const page = await visitor.get('/account/access-tokens', { headers: PAGE })
      assert.include(await page.text(), message)
      assert.lengthOf(await listOf(visitor), 0)
    })

  test('a stranger is asked to sign in, and a token opens no page', async ({ assert }) => {
    const stranger = await new Visitor().get('/account/access-tokens', { headers: PAGE })
    assert.equal(stranger.headers.get('location'), '/login')
    const { visitor } = await signedIn()
    const token = tokenIn(await (await create(visitor)).text())
    const response = await new Visitor().get('/account/access-tokens', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(response.status, 401)
  })
})
