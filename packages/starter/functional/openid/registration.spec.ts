import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { open } from '#starter/helpers/consent'
import { type TestClient, REDIRECT_URI, isolate, read, useConfig } from '#starter/helpers/oauth'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const LOGOUT = {
  post_logout_redirect_uris: ['https://client.example.com/goodbye'],
  backchannel_logout_uri: 'https://client.example.com/logout',
  subject_type: 'pairwise',
}

const register = async (members: object) =>
  read(
    await new Visitor().post('/oauth/register', {
      json: { redirect_uris: [REDIRECT_URI], ...members },
    })
  )

test.group('Dynamic registration with OpenID Connect', (group) => {
  group.each.setup(isolate)

  test('keeps logout URIs and the kind of subject, and tells them', async ({ assert }) => {
    const server = await useOpenId({ dynamicRegistration: true })
    const { status, body } = await register(LOGOUT)
    assert.equal(status, 201)
    assert.deepInclude(body, LOGOUT)
    const client = await server.clients.find(body.client_id)
    assert.deepEqual(client!.openid, {
      postLogoutRedirectUris: LOGOUT.post_logout_redirect_uris,
      backchannelLogoutUri: LOGOUT.backchannel_logout_uri,
      pairwiseSector: 'client.example.com',
    })
    assert.equal((await register({})).body.subject_type, 'public')
  })

  test('names the algorithm of ID tokens, whatever was asked for', async ({ assert }) => {
    const server = await useOpenId({ dynamicRegistration: true })
    await server.keys.stored!.add('ES384', Date.now())
    await server.keys.refresh()
    for (const asked of [{}, { id_token_signed_response_alg: 'HS256' }]) {
      assert.equal((await register(asked)).body.id_token_signed_response_alg, 'ES384')
    }
  })

  test('a member that is null is absent', async ({ assert }) => {
    await useOpenId({ dynamicRegistration: true })
    const nothing = Object.fromEntries(Object.keys(LOGOUT).map((name) => [name, null]))
    const { status, body } = await register(nothing)
    assert.equal(status, 201)
    assert.equal(body.subject_type, 'public')
    assert.notProperty(body, 'post_logout_redirect_uris')
  })

  for (const [title, members] of [
    [
      'a logout URI that leads nowhere safe',
      { post_logout_redirect_uris: ['javascript:alert(1)'] },
    ],
    ['a logout URI with a fragment', { post_logout_redirect_uris: ['https://a.example.com/#x'] }],
    ['logout URIs that are no list', { post_logout_redirect_uris: 'https://a.example.com/' }],
    [
      'more than 50 logout URIs',
      {
        post_logout_redirect_uris: Array.from(
          { length: 51 },
          (_, one) => `https://a.example/${one}`
        ),
      },
    ],
    [
      'a logout URI of more than 2000 characters',
      { post_logout_redirect_uris: [`https://a.example/${'x'.repeat(1983)}`] },
    ],
    ['a back channel over plain http', { backchannel_logout_uri: 'http://a.example.com/x' }],
    ['a back channel to an address', { backchannel_logout_uri: 'https://10.0.0.1/x' }],
    ['a back channel that is no text', { backchannel_logout_uri: 7 }],
    ['an unknown kind of subject', { subject_type: 'secret' }],
    ['a document of its sector', { sector_identifier_uri: 'https://client.example.com/sector' }],
    [
      'pairwise subjects over two hosts',
      { subject_type: 'pairwise', redirect_uris: [REDIRECT_URI, 'https://b.example.com/callback'] },
    ],
  ] as const) {
    test(`${title} is invalid_client_metadata`, async ({ assert }) => {
      await useOpenId({ dynamicRegistration: true })
      const { status, body } = await register(members)
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_client_metadata')
      assert.lengthOf(await db.from('oauth_clients'), 0)
    })
  }

  test('without a salt there are no pairwise subjects, by whatever way', async ({ assert }) => {
    await useOpenId({ dynamicRegistration: true, openid: { enabled: true, pairwiseSalt: null } })
    assert.equal((await register({ subject_type: 'pairwise' })).status, 400)
    const sector = { sector_identifier_uri: 'https://client.example.com/sector' }
    assert.equal((await register(sector)).body.subject_type, 'public')
    await assert.rejects(() => registerRelyingParty({ pairwise: true }), /OAUTH_PAIRWISE_SALT/)
  })

  test('while OpenID Connect is off, what it says of it is ignored', async ({ assert }) => {
    await useConfig({ dynamicRegistration: true })
    const { status, body } = await register({ ...LOGOUT, backchannel_logout_uri: 7 })
    assert.equal(status, 201)
    assert.notProperty(body, 'subject_type')
    const [row] = await db.from('oauth_clients')
    assert.isNull(row.openid)
  })

  test('a metadata document says the same, for a client that nobody registered', async ({
    assert,
  }) => {
    const site = new DocumentServer()
    await site.start()
    try {
      useTestFetcher()
      const server = await useOpenId()
      const { post_logout_redirect_uris: uris } = LOGOUT
      const redirectUri = 'https://agent.example.com/callback'
      const id = site.serveClient('/client.json', { post_logout_redirect_uris: uris })
      const { visitor } = await signedIn()
      const client = { id, secret: null } as unknown as TestClient
      assert.equal((await open(visitor, client, { redirect_uri: redirectUri })).status, 200)
      const known = await server.clients.repository.find(id)
      assert.deepEqual(known!.openid!.postLogoutRedirectUris, uris)
    } finally {
      await site.stop()
    }
  })
})
