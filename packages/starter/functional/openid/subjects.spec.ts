import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { open } from '#starter/helpers/consent'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import {
  type TestClient,
  basic,
  isolate,
  post,
  postToken,
  refreshing,
} from '#starter/helpers/oauth'
import { SALT, registerRelyingParty, signInTo, useOpenId } from '#starter/helpers/openid'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const HOST = 'https://one.example.com'

test.group('Pairwise subjects (OpenID Connect Core 1.0 §8.1)', (group) => {
  group.each.setup(isolate)

  test('differ between sectors, not within one, and never tell the id', async ({ assert }) => {
    const { subjectOf } = await useOpenId()
    const { user } = await signedIn()
    const key = { userId: String(user.id), provider: 'users' }
    const of = async (host: string, pairwise = true) => {
      const { client } = await registerRelyingParty(
        { pairwise },
        { redirectUris: [`${host}/callback`, `${host}/other`] }
      )
      return subjectOf(key, client.id)
    }
    const first = await of(HOST)
    assert.equal(await of(HOST), first)
    assert.notEqual(await of('https://two.example.com'), first)
    assert.equal(await of(HOST, false), String(user.id))
    assert.match(first, /^[\w-]{43}$/)
  })

  test('are the same in the ID token, the access token, UserInfo, introspection and after a refresh', async ({
    assert,
  }) => {
    await useOpenId()
    const { visitor, user } = await signedIn()
    const client = await registerRelyingParty({ pairwise: true })
    const tokens = await signInTo(visitor, client)
    const { sub } = decodeJwt(tokens.id_token)
    assert.notEqual(sub, String(user.id))
    assert.equal(decodeJwt(tokens.access_token).sub, sub)
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const info = (await (await new Visitor().get('/oauth/userinfo', { headers })).json()) as any
    assert.equal(info.sub, sub)
    for (const token of [tokens.access_token, tokens.refresh_token]) {
      const asked = await post('/oauth/introspect', { token }, basic(client.id, client.secret))
      assert.equal(asked.body.sub, sub)
    }
    const { body } = await postToken(refreshing(client, tokens.refresh_token))
    assert.equal(decodeJwt(body.id_token).sub, sub)
  })

  test('need redirect URIs of one host; a native app is a sector by itself', async ({ assert }) => {
    await useOpenId()
    const redirectUris = [`${HOST}/a`, 'https://two.example.com/b']
    await assert.rejects(
      () => registerRelyingParty({ pairwise: true }, { redirectUris }),
      /redirect URIs of one host/
    )
    const { client } = await registerRelyingParty(
      { pairwise: true },
      { redirectUris: ['http://127.0.0.1/callback'] }
    )
    assert.equal(client.openid!.pairwiseSector, client.id)
  })

  test('of a metadata document are those of its host, whatever redirect URIs it names', async ({
    assert,
  }) => {
    const site = new DocumentServer()
    await site.start()
    try {
      useTestFetcher()
      const tick = stopClock()
      const { clients, subjectOf } = await useOpenId()
      const describe = async (...uris: string[]) => {
        const id = site.serveClient('/client', { subject_type: 'pairwise', redirect_uris: uris })
        const { visitor } = await signedIn()
        const client = { id, secret: null } as unknown as TestClient
        assert.equal((await open(visitor, client, { redirect_uri: uris[0] })).status, 200)
        return clients.repository.find(id)
      }
      const known = await describe(`${HOST}/callback`)
      assert.equal(known!.openid!.pairwiseSector, site.host)
      const key = { userId: '7', provider: 'users' }
      const subject = await subjectOf(key, known!.id)
      tick(300)
      const changed = await describe('https://victim.example.com/callback')
      assert.deepEqual(changed!.redirectUris, ['https://victim.example.com/callback'])
      assert.equal(await subjectOf(key, known!.id), subject)
      tick(300)
      const native = await describe('http://localhost/callback')
      assert.equal(native!.openid!.pairwiseSector, known!.id)
    } finally {
      await site.stop()
    }
  })

  test('depend on the salt', async ({ assert }) => {
    const key = { userId: '7', provider: 'users' }
    const one = await useOpenId()
    const { client } = await registerRelyingParty({ pairwise: true })
    const subject = await one.subjectOf(key, client.id)
    const two = await useOpenId({ openid: { enabled: true, pairwiseSalt: `${SALT}, another` } })
    assert.notEqual(await two.subjectOf(key, client.id), subject)
  })
})
