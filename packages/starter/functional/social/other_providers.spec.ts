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
import { useOrganisations, verify } from '#starter/helpers/organisations'
import type { Person } from '#starter/helpers/fake_provider'
import { listenForTest } from '#starter/helpers/listening'
import { serverUrl } from '#starter/helpers/server_url'
import {
  accountOf,
  begin,
  configureSocial,
  identitiesOf,
  pathOf,
  person,
} from '#starter/helpers/social'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const CLIENT = { clientId: 'the-client', clientSecret: 'the-secret-of-the-client' }

const callback = (name = 'fake') =>
  new URL(`/auth/${name}/callback`, app.config.get<string>('app.appUrl')).href

/** Goes where redirects lead, until they lead back. */
async function follow(browser: Visitor, response: Response): Promise<string> {
  let location = new URL(response.headers.get('location')!, response.url).href
  while (!/\/auth\/[^/]+\/callback|\/interaction\//.test(location)) {
    const next = await browser.get(location)
    location = new URL(next.headers.get('location')!, location).href
  }
  return location
}

/** The provider of the package `oidc-provider`, where this person is. It can be set up anew, at the same address. */
async function startOidcProvider(ann: Person) {
  const listener = createServer()
  const issuer = `http://127.0.0.1:${await listenForTest(listener)}`
  /* It says that its keys and its pages are for development. */
  for (const level of ['info', 'warn'] as const) {
    const silenced = mock.method(console, level, () => {})
    getActiveTest()!.cleanup(() => silenced.mock.restore())
  }
  const serve = (redirectUri: string, features: object = {}) => {
    const provider = new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.clientId,
          client_secret: CLIENT.clientSecret,
          redirect_uris: [redirectUri],
        },
      ],
      claims: { email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_ctx: unknown, accountId: string) => ({
        accountId,
        claims: () => ({ ...ann, sub: accountId }),
      }),
      cookies: { keys: ['a key of the tests'] },
      features,
    })
    listener.removeAllListeners('request').on('request', provider.callback())
  }
  return { issuer, serve }
}

/** Signs a person in at `oidc-provider`, allows it there, and comes back. */
async function signInThere(visitor: Visitor, address: string, ann: Person) {
  const browser = new Visitor()
  let at = await follow(browser, await browser.get(address))
  const forms: Record<string, string>[] = [
    { prompt: 'login', login: ann.sub, password: 'x' },
    { prompt: 'consent' },
  ]
  for (const form of forms) {
    at = await follow(browser, await browser.post(new URL(at).href, { form }))
  }
  return visitor.get(pathOf(at))
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
    const ann = person()
    const { issuer, serve } = await startOidcProvider(ann)
    serve(callback())
    await configureSocial({
      fake: openIdConnect({ label: 'Fake', issuer, trustedFor: ['example.com'], ...CLIENT }),
    })

    const visitor = new Visitor()
    const response = await signInThere(visitor, await begin(visitor), ann)
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as any).user.email, ann.email)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('oidc-provider that accepts pushed requests alone', async ({ assert }) => {
    const ann = person()
    const { issuer, serve } = await startOidcProvider(ann)
    serve(callback(), {
      pushedAuthorizationRequests: { enabled: true, requirePushedAuthorizationRequests: true },
    })
    await configureSocial({
      fake: openIdConnect({ label: 'Fake', issuer, trustedFor: ['example.com'], ...CLIENT }),
    })

    const visitor = new Visitor()
    const response = await signInThere(visitor, await begin(visitor), ann)
    assert.equal(response.status, 200)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('oidc-provider as the provider of an organisation', async ({ assert }) => {
    const { organisations, domain } = await useOrganisations()
    const ann = person({ email: `ann@${domain}` })
    const { issuer, serve } = await startOidcProvider(ann)
    serve(callback())
    const row = await organisations.add({ domain, issuer, ...CLIENT }, null)
    await verify(organisations, row)
    serve(callback(row.name))

    const visitor = new Visitor()
    const response = await signInThere(visitor, await begin(visitor, `/auth/${row.name}`), ann)
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
      const allowed = await there.visitor.send('/oauth/authorize', json)
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
