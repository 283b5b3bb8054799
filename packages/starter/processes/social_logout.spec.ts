import { text } from 'node:stream/consumers'

import { getActiveTest, test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { startServer } from '#starter/helpers/server_process'
import { serverUrl } from '#starter/helpers/server_url'
import { accountOf, pathOf, person } from '#starter/helpers/social'
import { Visitor } from '#starter/helpers/visitor'

const APP_URL = 'https://second.example.com'

/** A second instance as a process of its own, whose provider is this one. */
async function secondInstance() {
  useTestFetcher()
  const server = await useOpenId()
  const site = new DocumentServer()
  getActiveTest()!.cleanup(await site.start())
  const told: number[] = []
  /* Providers post to https addresses alone: this is the proxy in front of the second instance. */
  const backchannelLogoutUri = site.handle('/logout', (request, response) => {
    void text(request).then(async (body) => {
      const headers = { 'content-type': request.headers['content-type']! }
      const path = `${url}/auth/openid/backchannel-logout`
      const answer = await fetch(path, { method: 'POST', body, headers })
      told.push(answer.status)
      response.writeHead(answer.status).end()
    })
  })
  const redirectUris = [`${APP_URL}/auth/openid/callback`]
  const client = await registerRelyingParty({ backchannelLogoutUri }, { redirectUris })
  const url: string = await startServer({
    APP_URL,
    OIDC_ISSUER: await serverUrl(),
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret!,
  })
  return { url, told, settled: () => server.openid!.backChannel.settled() }
}

test.group('A second instance, with this one as its provider', () => {
  test('a sign-out at the provider ends the session that came from it, and no other', async ({
    assert,
  }) => {
    const { url, told, settled } = await secondInstance()
    const there = await accountOf(`there-${person().sub}@example.com`)
    const { email } = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const json = { email, password: FACTORY_PASSWORD }
    const byPassword = new Visitor()
    await byPassword.post(`${url}/login`, { json })

    const visit = async (visitor: Visitor, path: string) => {
      const begun = await visitor.send(url + path)
      const { authorization_url: asked } = (await begun.json()) as any
      const approval = { ...Object.fromEntries(new URL(asked).searchParams), approved: true }
      const allowed = await there.visitor.send('/oauth/authorize', approval)
      const { redirect_to: back } = (await allowed.json()) as any
      return (await visitor.get(url + pathOf(back))).json()
    }
    const linked = await visit(byPassword, '/account/sign-in-methods/link/openid')
    assert.deepEqual(linked, { status: 'linked' })
    const visitor = new Visitor()
    const answer = (await visit(visitor, '/auth/openid')) as any
    assert.equal(answer.user.email, email)
    const statusOf = async (one: Visitor) => (await one.get(`${url}/api/me`)).status
    assert.equal(await statusOf(visitor), 200)

    await there.visitor.post('/logout', { csrf: true })
    await settled()
    assert.deepEqual(told, [204])
    assert.equal(await statusOf(visitor), 401)
    assert.equal(await statusOf(byPassword), 200)
  })
})
