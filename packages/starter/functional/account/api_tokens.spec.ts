import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { typesSeenBy } from '#starter/helpers/security_events'
import { SCOPED } from '#starter/helpers/fixtures/scoped_routes'
import { meetForTest } from '#starter/helpers/replace'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const TEN_YEARS = 10 * 365 * 24 * 60 * 60
const TOKEN = { name: 'My laptop', abilities: ['posts:read'] }

async function idOfToken(user: User) {
  const { details } = await ApiToken.create(user, { name: 'of Bob' })
  return details.id
}

test.group('/api/tokens', () => {
  test('POST: 201 with the token, once, and it opens the API within its abilities', async ({
    assert,
  }) => {
    stopClock()
    const { user, visitor } = await signedIn()
    const response = await visitor.send('/api/tokens', { ...TOKEN, ttl: 60 })
    assert.equal(response.status, 201)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    const created = (await response.json()) as any
    assert.match(created.token, /^\d+\|[A-Za-z0-9]{43}$/)
    assert.equal(created.name, TOKEN.name)
    assert.deepEqual(created.abilities, TOKEN.abilities)
    assert.equal(created.expires_at, Date.now() / 1000 + 60)

    const headers = { authorization: `Bearer ${created.token}` }
    const me = await new Visitor().get('/api/me', { headers })
    assert.equal(((await me.json()) as any).user.id, user.id)
    const write = await new Visitor().post(SCOPED, { headers, json: {} })
    assert.equal(write.status, 403)

    const list = await visitor.get('/api/tokens')
    const text = await list.text()
    assert.notInclude(text, created.token.split('|')[1])
    assert.deepEqual(JSON.parse(text).tokens[0].id, created.id)
  })

  test('POST at the limits: a name of {length} characters, and {ttl} seconds')
    .with([
      { length: 1, ttl: 1 },
      { length: 255, ttl: TEN_YEARS },
    ])
    .run(async ({ assert }, { length, ttl }) => {
      stopClock()
      const { visitor } = await signedIn()
      const json = { ...TOKEN, name: 'x'.repeat(length), ttl }
      const response = await visitor.send('/api/tokens', json)
      assert.equal(response.status, 201)
      const { expires_at: expiresAt, created_at: createdAt } = (await response.json()) as any
      assert.equal(expiresAt, createdAt + ttl)
    })

  test('POST without a lifetime: a token that never expires', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.send('/api/tokens', TOKEN)
    assert.isNull(((await response.json()) as any).expires_at)
  })

  test('POST: 422 for {what}, and no token is made')
    .with([
      { what: 'no name', body: { name: '' } },
      { what: 'a name of spaces', body: { name: '  ' } },
      { what: 'a name with a control character', body: { name: 'a\u0007b' } },
      { what: 'a name of 256 characters', body: { name: 'x'.repeat(256) } },
      { what: 'no abilities', body: { abilities: [] } },
      { what: 'an ability outside the catalogue', body: { abilities: ['posts:burn'] } },
      { what: 'every ability at once (*)', body: { abilities: ['*'] } },
      { what: 'abilities that are no list', body: { abilities: 'posts' } },
      { what: 'a lifetime of nothing', body: { ttl: 0 } },
      { what: 'a lifetime of more than ten years', body: { ttl: TEN_YEARS + 1 } },
    ])
    .run(async ({ assert }, { body }) => {
      const { user, visitor } = await signedIn()
      const response = await visitor.send('/api/tokens', { ...TOKEN, ...body })
      assert.equal(response.status, 422)
      assert.lengthOf(await ApiToken.tokens(user), 0)
    })

  test('DELETE: 204 and the token is gone; 404 for the token of somebody else', async ({
    assert,
  }) => {
    const { user, visitor } = await signedIn()
    const own = await idOfToken(user)
    const bob = await UserFactory.create()
    const others = await idOfToken(bob)

    const revoked = await visitor.request('DELETE', `/api/tokens/${own}`, { csrf: true })
    assert.equal(revoked.status, 204)
    assert.lengthOf(await ApiToken.tokens(user), 0)
    const refused = await visitor.request('DELETE', `/api/tokens/${others}`, { csrf: true })
    assert.equal(refused.status, 404)
    assert.lengthOf(await ApiToken.tokens(bob), 1)
  })

  test('a token that two requests revoke at once is noted once', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const id = await idOfToken(user)
    /* Both have found it before either ends it. */
    meetForTest(ApiToken, 'tokens', { at: 'its end' })
    const revoke = () => visitor.request('DELETE', `/api/tokens/${id}`, { csrf: true })
    const statuses = (await Promise.all([revoke(), revoke()])).map(({ status }) => status)
    assert.sameMembers(statuses, [204, 404])
    const types = await typesSeenBy(visitor)
    assert.lengthOf(
      types.filter((type) => type === 'token_revoked'),
      1
    )
  })

  test('a token cannot make or list tokens: only a session can', async ({ assert }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    const headers = { authorization: `Bearer ${plainText}` }
    const list = await new Visitor().get('/api/tokens', { headers })
    assert.equal(list.status, 401)
    const create = await new Visitor().post('/api/tokens', { json: TOKEN, headers })
    assert.equal(create.status, 401)
  })

  test('POST without the CSRF token of the session is refused', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/api/tokens', { json: TOKEN })
    assert.equal(response.status, 403)
  })
})

test.group('/account/tokens', () => {
  test('the page shows a new token once', async ({ assert }) => {
    const { visitor } = await signedIn()
    const created = await visitor.post('/account/tokens', {
      form: {
        'name': 'My laptop',
        'abilities[]': 'posts:read',
        'ttl': '',
        '_token': visitor.csrfToken,
      },
      headers: PAGE,
    })
    assert.equal(created.headers.get('location'), '/account/tokens')
    const once = await visitor.get('/account/tokens', { headers: PAGE })
    assert.equal(once.headers.get('cache-control'), 'no-store')
    const [secret] = /\d+\|[A-Za-z0-9]{43}/.exec(await once.text())!

    const page = await visitor.get('/account/tokens', { headers: PAGE })
    const text = await page.text()
    assert.include(text, 'My laptop')
    assert.notInclude(text, secret)
  })

  test('a form that is not right comes back with its messages', async ({ assert }) => {
    const { visitor } = await signedIn()
    const response = await visitor.post('/account/tokens', {
      form: { name: 'My laptop', _token: visitor.csrfToken },
      headers: { ...PAGE, referer: '/account/tokens' },
    })
    assert.equal(response.status, 302)
    const page = await visitor.get('/account/tokens', { headers: PAGE })
    assert.include(await page.text(), 'Choose at least one permission')
  })

  test('revoking the token of somebody else from the page leaves it alone', async ({ assert }) => {
    const { visitor } = await signedIn()
    const bob = await UserFactory.create()
    const id = await idOfToken(bob)
    await visitor.post(`/account/tokens/${id}/revoke`, {
      form: { _token: visitor.csrfToken, sure: '1' },
      headers: PAGE,
    })
    assert.lengthOf(await ApiToken.tokens(bob), 1)
  })
})
