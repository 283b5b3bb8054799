import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { boundResource } from '#kit/auth/challenge'
import { Refusal } from '#kit/auth/outcome'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { OAuth2Guard } from '#kit/oauth2/guard'
import {
  OTHER_RESOURCE,
  RESOURCE,
  credentials,
  isolate,
  obtainTokens,
  post,
  postToken,
  refreshing,
  registerClient,
  useConfig,
  granted,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const AUDIENCE = 'https://id.example.com'

/** Whether a guard accepts a token, on a route that is a resource where one is given. */
async function accepts(
  server: AuthorizationServer,
  token: string,
  audience: string | null = null,
  url?: string
) {
  const ctx = await testUtils.createHttpContext()
  if (url) {
    const mark = boundResource(() => ({ url, metadataUrl: '', scopes: [] }))
    ctx.route = { middleware: { all: () => [mark] } } as any
  }
  ctx.request.request.headers.authorization = `Bearer ${token}`
  const users = server.manager.users('users')
  const guard = new OAuth2Guard('oauth', users, ctx, { ...server, audience })
  return !((await guard.resolve()) instanceof Refusal)
}

test.group('OAuth2Config | defaultAudience', (group) => {
  group.each.setup(isolate)

  test('without it, tokens have an aud only when they are bound', async ({ assert }) => {
    const { visitor, client, tokens: unbound } = await granted()
    assert.notProperty(decodeJwt(unbound.access_token), 'aud')
    const bound = await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.equal(decodeJwt(bound.access_token).aud, RESOURCE)
  })

  test('unbound tokens of every grant have it as aud (RFC 9068 §2.2), bound ones their resource', async ({
    assert,
  }) => {
    await useConfig({ defaultAudience: AUDIENCE })
    const { visitor, client, tokens: unbound } = await granted()
    const refreshed = await postToken(refreshing(client, unbound.refresh_token))
    const own = await postToken({ grant_type: 'client_credentials', ...credentials(client) })
    const personal = (await (
      await visitor.send('/oauth/personal-access-tokens', { name: 'mine' })
    ).json()) as any
    for (const token of [refreshed.body, own.body, personal]) {
      assert.equal(decodeJwt(token.access_token).aud, AUDIENCE)
    }
    const { body } = await post('/oauth/introspect', {
      token: refreshed.body.access_token,
      ...credentials(client),
    })
    assert.equal(body.aud, AUDIENCE)
    const bound = await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.equal(decodeJwt(bound.access_token).aud, RESOURCE)
  })

  test('a guard without an audience takes such a token as unbound, one with an audience refuses it', async ({
    assert,
  }) => {
    const server = await useConfig({ defaultAudience: AUDIENCE })
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: unbound } = await obtainTokens(visitor, client)
    const { access_token: bound } = await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.isTrue(await accepts(server, unbound))
    for (const audience of [RESOURCE, AUDIENCE]) {
      assert.isFalse(await accepts(server, unbound, audience))
    }
    assert.isFalse(await accepts(server, bound))
    assert.isTrue(await accepts(server, bound, RESOURCE))
  })

  test('a guard without an audience takes tokens for its route, one with an audience no others', async ({
    assert,
  }) => {
    const server = await useConfig({})
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: token } = await obtainTokens(visitor, client, { resource: RESOURCE })
    assert.isTrue(await accepts(server, token, null, RESOURCE))
    assert.isFalse(await accepts(server, token, null, OTHER_RESOURCE))
    assert.isFalse(await accepts(server, token, OTHER_RESOURCE, RESOURCE))
  })

  test('a token from before the setting goes on, one with another value is refused', async ({
    assert,
  }) => {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: before } = await obtainTokens(visitor, client)
    const server = await useConfig({ defaultAudience: AUDIENCE })
    assert.isTrue(await accepts(server, before))
    const { access_token: named } = await obtainTokens(visitor, client)
    const changed = await useConfig({ defaultAudience: 'https://other.example.com' })
    assert.isFalse(await accepts(changed, named))
  })

  test('a token that is bound to a resource does not pass for unbound when the setting names it', async ({
    assert,
  }) => {
    const client = await registerClient()
    const { visitor } = await signedIn()
    const { access_token: bound } = await obtainTokens(visitor, client, { resource: RESOURCE })
    const server = await useConfig({ resources: [], defaultAudience: RESOURCE })
    assert.isFalse(await accepts(server, bound))
  })
})
