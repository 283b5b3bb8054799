import { once } from 'node:events'
import { createServer } from 'node:http'
import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import { getActiveTest, test } from '@japa/runner'
import { OAuth2Server } from 'oauth2-mock-server'
// @ts-expect-error: the package has no types
import { Provider } from 'oidc-provider'

import { openIdConnect } from '#kit/social/presets'
import { isolate } from '#starter/helpers/oauth'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { serverUrl } from '#starter/helpers/server_url'
import {
  accountOf,
  begin,
  configureSocial,
  identitiesOf,
  isSignedIn,
  pathOf,
  person,
} from '#starter/helpers/social'
import { Visitor } from '#starter/helpers/visitor'

const CLIENT = { clientId: 'the-client', clientSecret: 'the-secret-of-the-client' }

const callback = () => new URL('/auth/fake/callback', app.config.get<string>('app.appUrl')).href

/** Goes where redirects lead, until they lead back. */
async function follow(browser: Visitor, response: Response): Promise<string> {
  let location = response.headers.get('location')!
  while (!location.startsWith(callback()) && !location.includes('/interaction/')) {
    const next = await browser.get(location)
    location = new URL(next.headers.get('location')!, location).href
  }
  return location
}

test.group('Providers that others wrote', () => {
  test('oauth2-mock-server', async ({ assert }) => {
    const server = new OAuth2Server()
    await server.issuer.keys.generate('RS256')
    await server.start(0, '127.0.0.1')
    getActiveTest()!.cleanup(() => server.stop())
    const ann = person()
    server.service.on('beforeTokenSigning', (token) => {
      Object.assign(token.payload, ann, { aud: CLIENT.clientId })
    })
    const issuer = server.issuer.url!
    await configureSocial({
      fake: openIdConnect({ label: 'Fake', issuer, trustedFor: ['example.com'], ...CLIENT }),
    })

    const visitor = new Visitor()
    const browser = new Visitor()
    const back = await follow(browser, await browser.get(await begin(visitor)))
    const response = await visitor.get(pathOf(back))
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as any).user.email, ann.email)
  })

  test('oidc-provider: login, consent, userinfo', async ({ assert }) => {
    const listener = createServer().listen(0, '127.0.0.1')
    await once(listener, 'listening')
    getActiveTest()!.cleanup(() => {
      listener.closeAllConnections()
      listener.close()
    })
    /* It says that its keys and its pages are for development. */
    for (const level of ['info', 'warn'] as const) {
      const silenced = mock.method(console, level, () => {})
      getActiveTest()!.cleanup(() => silenced.mock.restore())
    }
    const { port } = listener.address() as { port: number }
    const issuer = `http://127.0.0.1:${port}`
    const ann = person()
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [callback()],
        },
      ],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_ctx: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...ann, sub: accountId }),
      }),
      cookies: { keys: ['a key of the tests'] },
    })
    listener.on('request', provider.callback())
    await configureSocial({
      fake: openIdConnect({ label: 'Fake', issuer, trustedFor: ['example.com'], ...CLIENT }),
    })

    const visitor = new Visitor()
    const browser = new Visitor()
    let at = await follow(browser, await browser.get(await begin(visitor)))
    const forms: Record<string, string>[] = [
      { prompt: 'login', login: ann.sub, password: 'x' },
      { prompt: 'consent' },
    ]
    for (const form of forms) {
      at = await follow(browser, await browser.post(new URL(at, issuer).href, { form }))
    }
    const response = await visitor.get(pathOf(at))
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as any).user.email, ann.email)
    assert.isTrue(await isSignedIn(visitor))
  })
})

test.group('This application as the provider', (group) => {
  group.each.setup(isolate)

  test('somebody who is connected signs in there, allows it, and arrives here', async ({
    assert,
  }) => {
    await useOpenId()
    const client = await registerRelyingParty({}, { redirectUris: [callback()] })
    const issuer = await serverUrl()
    await configureSocial({
      fake: openIdConnect({
        label: 'Fake',
        issuer,
        clientId: client.id,
        clientSecret: client.secret!,
        trustedFor: ['*'],
      }),
    })
    const there = await accountOf(`there-${person().sub}@example.com`)
    const here = await accountOf(`here-${person().sub}@example.com`)
    const allow = async (authorizationUrl: string) => {
      const { searchParams } = new URL(authorizationUrl)
      const json = { ...Object.fromEntries(searchParams), approved: true }
      const allowed = await there.visitor.post('/oauth/authorize', { json, csrf: true })
      return pathOf(((await allowed.json()) as any).redirect_to)
    }
    const linking = await begin(here.visitor, '/account/sign-in-methods/link/fake')
    const linked = await here.visitor.get(await allow(linking))
    assert.deepEqual(await linked.json(), { status: 'linked' })

    const visitor = new Visitor()
    const response = await visitor.get(await allow(await begin(visitor)))
    assert.equal(((await response.json()) as any).user.email, here.user.email)
    const row = await identitiesOf(here.user).first()
    assert.deepInclude(row, { issuer, subject: String(there.user.id), email: there.user.email })
  })
})
