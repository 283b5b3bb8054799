import { mock } from 'node:test'
import { inspect } from 'node:util'

import { Logger } from '@adonisjs/core/logger'
import { getActiveTest, test } from '@japa/runner'

import User from '#models/user'
import { openIdConnect } from '#kit/social/presets'
import { CLIENT_SECRET, FakeProvider, type Faults } from '#starter/helpers/fake_provider'
import {
  begin,
  configureSocial,
  identitiesOf,
  pathOf,
  person,
  signIn,
  useSocial,
  sentBack,
} from '#starter/helpers/social'
import { travel } from '#starter/helpers/time'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

/** Whether the answer of a callback was refused, and nobody is signed in. */
async function isRefused(visitor: Visitor, path: string) {
  const response = await visitor.get(path)
  return response.status === 401 && !(await isSignedIn(visitor))
}

test.group('Attacks on signing in through a provider', () => {
  test('login CSRF: an answer in another browser than the one that began is refused', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const path = pathOf(provider.authorize(await begin(new Visitor()), person()))
    const victim = new Visitor()
    assert.isTrue(await isRefused(victim, path))
    await begin(victim)
    assert.isTrue(await isRefused(victim, path))
  })

  test('no other site can begin a sign-in', async ({ assert }) => {
    await useSocial()
    const headers = { 'origin': 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const response = await new Visitor().post('/auth/fake', { form: { a: 'b' }, headers })
    assert.equal(response.status, 403)
    assert.equal((await new Visitor().get('/auth/fake')).status, 405)
  })

  test('a state is used once', async ({ assert }) => {
    const { provider, visitor, callback } = await sentBack()
    assert.equal((await visitor.get(pathOf(callback))).status, 200)
    const again = provider.authorize(await begin(visitor), person())
    again.searchParams.set('state', callback.searchParams.get('state')!)
    assert.equal((await visitor.get(pathOf(again))).status, 401)
  })

  test('a state is used up by a failure, too', async ({ assert }) => {
    const { visitor, callback } = await sentBack()
    const state = callback.searchParams.get('state')!
    await visitor.get(`/auth/fake/callback?error=access_denied&state=${state}`)
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  test('the same callback twice at once: one is signed in', async ({ assert }) => {
    const { provider } = await useSocial()
    provider.faults = { reusesCodes: true }
    const visitor = new Visitor()
    const path = pathOf(provider.authorize(await begin(visitor), person()))
    const answers = await Promise.all([1, 2, 3].map(() => visitor.get(path)))
    const statuses = answers.map(({ status }) => status).sort()
    assert.deepEqual(statuses, [200, 401, 401])
  })

  test('a state is refused after a quarter of an hour', async ({ assert }) => {
    const { visitor, callback } = await sentBack()
    travel(15 * 60)
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  test('two tabs: each finishes its own sign-in', async ({ assert }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    const [one, other] = [await begin(visitor), await begin(visitor)]
    const ann = person()
    assert.equal((await visitor.get(pathOf(provider.authorize(one, ann)))).status, 200)
    assert.equal((await visitor.get(pathOf(provider.authorize(other, ann)))).status, 200)
  })

  test('the last five sign-ins that a browser began can be finished, and none before them', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    const callbacks = []
    for (let tab = 0; tab < 6; tab++) {
      callbacks.push(pathOf(provider.authorize(await begin(visitor), person())))
    }
    assert.isTrue(await isRefused(visitor, callbacks[0]!))
    assert.equal((await visitor.get(callbacks[1]!)).status, 200)
  })

  test('mix-up: the answer of one provider at the address of another is refused', async ({
    assert,
  }) => {
    const { provider, visitor, callback } = await sentBack()
    callback.pathname = '/auth/hub/callback'
    callback.searchParams.delete('iss')
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
    /* The code of the one is not given to the other. */
    assert.isEmpty(provider.requests.filter(({ path }) => path.endsWith('access_token')))
  })

  for (const { what, iss } of [
    { what: 'of another issuer', iss: 'https://evil.example' },
    { what: 'without an issuer, from a provider that says it names itself', iss: null },
  ]) {
    test(`mix-up: an answer ${what} is refused (RFC 9207)`, async ({ assert }) => {
      const { visitor, callback } = await sentBack()
      callback.searchParams.delete('iss')
      if (iss) {
        callback.searchParams.set('iss', iss)
      }
      assert.isTrue(await isRefused(visitor, pathOf(callback)))
    })
  }

  test('code injection: a code of another attempt is refused', async ({ assert }) => {
    const { provider } = await useSocial()
    const stolen = provider.authorize(await begin(new Visitor()), person())
    const visitor = new Visitor()
    const own = provider.authorize(await begin(visitor), person())
    own.searchParams.set('code', stolen.searchParams.get('code')!)
    assert.isTrue(await isRefused(visitor, pathOf(own)))
  })

  test('a parameter given twice is refused', async ({ assert }) => {
    const { visitor, callback } = await sentBack()
    callback.searchParams.append('code', 'another')
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  for (const query of ['', '?state=', '?code=x', '?state=x&code=y', '?state[]=x', '?error=x']) {
    test(`a callback with "${query}" is refused, and no fault of ours`, async ({ assert }) => {
      await useSocial()
      assert.isTrue(await isRefused(new Visitor(), `/auth/fake/callback${query}`))
    })
  }

  test('an issuer whose metadata are of another issuer is refused', async ({ assert }) => {
    const { provider } = await useSocial()
    provider.faults.metadata = { issuer: 'https://accounts.google.com' }
    const response = await new Visitor().post('/auth/fake', { json: {} })
    assert.equal(response.status, 503)
  })

  test('also where the address of its metadata was typed as the issuer: nobody speaks for another', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const other = await FakeProvider.start()
    for (const { issuer, status } of [
      { issuer: other.issuer, status: 200 },
      { issuer: provider.issuer, status: 503 },
    ]) {
      other.faults = { metadata: { issuer } }
      const typed = `${other.issuer}/.well-known/openid-configuration`
      const client = { clientId: other.clientId, clientSecret: CLIENT_SECRET }
      const settings = openIdConnect({ label: 'Typed', issuer: typed, ...client })
      await configureSocial({ typed: settings })
      const response = await new Visitor().post('/auth/typed', { json: {} })
      assert.equal(response.status, status, issuer)
    }
  })

  test('secrets are in no line of the log', async ({ assert }) => {
    const { provider } = await useSocial()
    const lines: unknown[] = []
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
      const spy = mock.method(Logger.prototype, level, (...line: unknown[]) => lines.push(line))
      getActiveTest()!.cleanup(() => spy.mock.restore())
    }
    const visitor = new Visitor()
    const good = provider.authorize(await begin(visitor), person())
    await visitor.get(pathOf(good))
    provider.faults = { claims: { nonce: 'another' } }
    const bad = provider.authorize(await begin(visitor), person())
    await visitor.get(pathOf(bad))
    provider.faults = { status: 400 }
    const broken = provider.authorize(await begin(visitor), person())
    await visitor.get(pathOf(broken))

    const log = inspect(lines, { depth: 20 })
    assert.include(log, 'A sign-in through a provider failed')
    for (const { body } of provider.requests.filter(({ path }) => path === '/token')) {
      assert.notInclude(log, body.get('code')!)
      assert.notInclude(log, body.get('code_verifier')!)
    }
    for (const { searchParams } of [good, bad, broken]) {
      assert.notInclude(log, searchParams.get('state')!)
    }
    assert.notInclude(log, CLIENT_SECRET)
  })
})

/** The relying-party tests of the OpenID suite (`OIDCCClientTest…`), by what the provider does wrong. */
const WRONG: { what: string; faults: Faults }[] = [
  { what: 'nonce: of another request', faults: { claims: { nonce: 'another' } } },
  { what: 'nonce: missing', faults: { claims: { nonce: undefined } } },
  { what: 'iss: another', faults: { claims: { iss: 'https://evil.example' } } },
  { what: 'iss: missing', faults: { claims: { iss: undefined } } },
  { what: 'aud: another client', faults: { claims: { aud: 'another-client' } } },
  { what: 'aud: missing', faults: { claims: { aud: undefined } } },
  { what: 'aud: two, and azp another', faults: { claims: { aud: ['the-client', 'x'], azp: 'x' } } },
  { what: 'sub: missing', faults: { claims: { sub: undefined } } },
  { what: 'sub: with a NUL, which PostgreSQL does not store', faults: { claims: { sub: 'a\0b' } } },
  { what: 'sub: empty, for everybody', faults: { claims: { sub: '' } } },
  { what: 'sub: longer than 255 characters', faults: { claims: { sub: 'x'.repeat(256) } } },
  { what: 'iat: missing', faults: { claims: { iat: undefined } } },
  { what: 'exp: over', faults: { claims: { exp: 1 } } },
  { what: 'kid: unknown', faults: { header: { kid: 'unknown' } } },
  { what: 'signature: of another key', faults: { foreignKey: true } },
  { what: 'signature: not one', faults: { signature: 'AAAA' } },
  { what: 'signature: empty', faults: { signature: '' } },
  { what: 'alg: none', faults: { header: { alg: 'none' } } },
  { what: 'alg: HS256 with the public key', faults: { header: { alg: 'HS256' } } },
  {
    what: 'alg: HS256 with the secret of the client, where the metadata name it',
    faults: {
      header: { alg: 'HS256' },
      hmacSecret: CLIENT_SECRET,
      metadata: { id_token_signing_alg_values_supported: ['ES256', 'HS256'] },
    },
  },
  { what: 'nbf: tomorrow', faults: { claims: { nbf: Math.floor(Date.now() / 1000) + 86_400 } } },
  { what: 'aud: two, and no azp', faults: { claims: { aud: ['the-client', 'x'] } } },
]

test.group('Relying party: what is wrong with an ID token is refused', () => {
  for (const { what, faults } of WRONG) {
    test(what, async ({ assert }) => {
      const { provider } = await useSocial()
      const visitor = new Visitor()
      const ann = person()
      provider.faults = faults
      const callback = provider.authorize(await begin(visitor), ann)
      assert.isTrue(await isRefused(visitor, pathOf(callback)))
      assert.isNull(await User.findBy({ email: String(ann.email) }))
    })
  }

  test('exp: over for less than half a minute is a difference of clocks', async ({ assert }) => {
    const social = await useSocial()
    for (const [seconds, status] of [
      [20, 200],
      [40, 401],
    ] as const) {
      social.provider.faults = { claims: { exp: Math.floor(Date.now() / 1000) - seconds } }
      assert.equal((await signIn(social, person())).response.status, status)
    }
  })

  test('HS256 with the public key is refused where the metadata name it, too', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    const algorithms = ['ES256', 'HS256', 'none']
    for (const alg of ['HS256', 'none']) {
      provider.faults = {
        metadata: { id_token_signing_alg_values_supported: algorithms },
        header: { alg },
      }
      const callback = provider.authorize(await begin(visitor), person())
      assert.isTrue(await isRefused(visitor, pathOf(callback)))
    }
  })

  test('nonce: of an earlier attempt of the same browser', async ({ assert }) => {
    const { provider } = await useSocial()
    const visitor = new Visitor()
    const earlier = new URL(await begin(visitor)).searchParams.get('nonce')
    const callback = provider.authorize(await begin(visitor), person())
    provider.faults = { claims: { nonce: earlier } }
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  test('an answer without an ID token', async ({ assert }) => {
    const { provider, visitor, callback } = await sentBack()
    provider.faults = { lacksIdToken: true }
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  test('the sub of userinfo is another than that of the ID token', async ({ assert }) => {
    const { provider } = await useSocial()
    provider.onlyUserInfo = ['email']
    const ann = person()
    provider.faults = { userInfo: { ...ann, sub: 'somebody else' } }
    const visitor = new Visitor()
    const callback = provider.authorize(await begin(visitor), ann)
    assert.isTrue(await isRefused(visitor, pathOf(callback)))
  })

  test('kid: absent is taken with one key, and refused with several', async ({ assert }) => {
    const social = await useSocial()
    social.provider.faults = { header: { kid: undefined } }
    assert.equal((await signIn(social, person())).response.status, 200)

    const several = await useSocial()
    await several.provider.addKey()
    several.provider.faults = { header: { kid: undefined } }
    assert.equal((await signIn(several, person())).response.status, 401)
  })

  test('key rotation: a new key is read', async ({ assert }) => {
    const social = await useSocial()
    assert.equal((await signIn(social, person())).response.status, 200)
    await social.provider.rotate()
    travel(61)
    assert.equal((await signIn(social, person())).response.status, 200)
  })
})

test.group('Races of callbacks', () => {
  test('one identity in many browsers at once: one account, one identity', async ({ assert }) => {
    const { provider } = await useSocial()
    const ann = person()
    const visitors = Array.from({ length: 6 }, () => new Visitor())
    const paths: string[] = []
    for (const visitor of visitors) {
      paths.push(pathOf(provider.authorize(await begin(visitor), ann)))
    }
    const answers = await Promise.all(visitors.map((visitor, at) => visitor.get(paths[at]!)))
    assert.deepEqual(
      answers.map(({ status }) => status),
      visitors.map(() => 200)
    )
    const users = await User.query().where({ email: String(ann.email) })
    assert.lengthOf(users, 1)
    assert.lengthOf(await identitiesOf(users[0]!), 1)
    for (const visitor of visitors) {
      assert.isTrue(await isSignedIn(visitor))
    }
  })

  test('two identities with one address at once: one account, and the other one has to sign in', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    const email = `${person().sub}@example.com`
    const people = [person({ email }), person({ email })]
    const visitors = people.map(() => new Visitor())
    const paths: string[] = []
    for (const [at, visitor] of visitors.entries()) {
      paths.push(pathOf(provider.authorize(await begin(visitor), people[at]!)))
    }
    const answers = await Promise.all(
      visitors.map(async (visitor, at) => (await visitor.get(paths[at]!)).json() as any)
    )
    assert.lengthOf(
      answers.filter((answer) => answer.sign_in_required),
      1
    )
    const users = await User.query().where({ email })
    assert.lengthOf(users, 1)
    assert.lengthOf(await identitiesOf(users[0]!), 1)
    const signedIn = await Promise.all(visitors.map(isSignedIn))
    assert.lengthOf(signedIn.filter(Boolean), 1)
  })
})

test.group('Answers that never end', () => {
  for (const [endless, path] of [
    ['/token', '/auth/fake'],
    ['/jwks', '/auth/fake'],
    ['/userinfo', '/auth/fake'],
    ['/login/oauth/access_token', '/auth/hub'],
    ['/user/emails', '/auth/hub'],
  ] as const) {
    test(`an answer of a provider that never ends is read up to a bound: ${endless}`, async ({
      assert,
    }) => {
      const social = await useSocial()
      social.provider.onlyUserInfo = ['email']
      social.provider.faults = { endless }
      const { response } = await signIn(social, person({ id: 1 }), { path })
      assert.equal(response.status, 503)
      assert.isBelow(social.provider.sent, 5_000_000)
    })
  }

  test('a key set that never ends is read up to a bound for logout tokens, too', async ({
    assert,
  }) => {
    const { provider } = await useSocial()
    provider.faults = { endless: '/jwks' }
    const form = { logout_token: await provider.logoutToken({ sid: 'one' }) }
    assert.equal((await new Visitor().post('/auth/fake/backchannel-logout', { form })).status, 503)
    assert.isBelow(provider.sent, 5_000_000)
  })
})
