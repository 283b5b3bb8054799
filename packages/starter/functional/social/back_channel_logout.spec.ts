import emitter from '@adonisjs/core/services/emitter'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import type { Faults } from '#starter/helpers/fake_provider'
import { turnOn, codeOf } from '#starter/helpers/two_factor'
import { authManager } from '#starter/helpers/passwords'
import { replaceForTest } from '#starter/helpers/replace'
import { PAGE, person, signIn, type SocialSetUp, useSocial } from '#starter/helpers/social'
import { stopClock } from '#starter/helpers/time'
import { Visitor, signedIn, isSignedIn } from '#starter/helpers/visitor'

const PATH = '/auth/fake/backchannel-logout'

const send = (token: string, path = PATH) =>
  new Visitor().post(path, { form: { logout_token: token } })

/** Somebody who is signed in by a session of the provider. */
async function somebody(social: SocialSetUp, sid?: string) {
  const ann = person(sid ? { sid } : {})
  const { visitor, answer } = await signIn(social, ann)
  return { ann, visitor, user: await User.findOrFail(answer.user.id) }
}

/** Somebody whose sign-in at the provider waits here for a code. */
async function comeToSecondFactor() {
  const tick = stopClock()
  const social = await useSocial()
  const { ann, user } = await somebody(social)
  const { secret } = await turnOn(user)
  tick(30)
  const { visitor } = await signIn(social, { ...ann, sid: 'there' })
  const take = (path: string) => visitor.send(path, { code: codeOf(secret) })
  return { social, ann, visitor, tick, take }
}

test.group('A logout at the provider (OpenID Connect Back-Channel Logout 1.0)', () => {
  test('the list of sessions says which one comes from where', async ({ assert }) => {
    const social = await useSocial()
    const { visitor } = await somebody(social)
    const { sessions } = (await (await visitor.get('/account/sessions')).json()) as any
    assert.deepEqual(
      sessions.map((one: any) => one.provider),
      ['fake']
    )
    const page = await (await visitor.get('/account/sessions', { headers: PAGE })).text()
    assert.include(page, 'Through Fake')
  })

  test('by "sid" the session ends that comes from it, and no other', async ({ assert }) => {
    const social = await useSocial()
    const { ann, visitor } = await somebody(social, 'there-1')
    const other = await signIn(social, { ...ann, sid: 'there-2' })
    const response = await send(await social.provider.logoutToken({ sid: 'there-1' }))
    assert.equal(response.status, 204)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.isFalse(await isSignedIn(visitor))
    assert.isTrue(await isSignedIn(other.visitor))
  })

  test('by "sub" all sessions end that come from there, and those of other people and by password stay', async ({
    assert,
    cleanup,
  }) => {
    const social = await useSocial()
    const { ann, visitor, user } = await somebody(social, 'there-1')
    const second = await signIn(social, ann)
    await user.merge({ password: FACTORY_PASSWORD }).save()
    const { visitor: byPassword } = await signedIn(user)
    const bob = await somebody(social)
    const destroyed: unknown[] = []
    cleanup(emitter.on('session:destroyed', ({ userId }) => void destroyed.push(userId)))
    await send(await social.provider.logoutToken({ sub: ann.sub }))
    assert.deepEqual(destroyed, [String(user.id), String(user.id)])
    assert.isFalse(await isSignedIn(visitor))
    assert.isFalse(await isSignedIn(second.visitor))
    assert.isTrue(await isSignedIn(byPassword))
    assert.isTrue(await isSignedIn(bob.visitor))
  })

  test('a session is remembered over the second factor, and a confirmation', async ({ assert }) => {
    const { social, visitor, tick, take } = await comeToSecondFactor()
    await take('/login/two-factor')
    tick(30)
    await take('/confirm')
    assert.isTrue(await isSignedIn(visitor))
    await send(await social.provider.logoutToken({ sid: 'there' }))
    assert.isFalse(await isSignedIn(visitor))
  })

  test('a sign-in that waits for the second factor ends, by "{name}"')
    .with([
      { name: 'sid', tokenOf: () => ({ sid: 'there' }) },
      { name: 'sub', tokenOf: ({ sub }: { sub: string }) => ({ sub }) },
    ])
    .run(async ({ assert }, { tokenOf }) => {
      const { social, ann, visitor, take } = await comeToSecondFactor()
      assert.equal((await send(await social.provider.logoutToken(tokenOf(ann)))).status, 204)
      const response = await take('/login/two-factor')
      assert.equal(response.status, 401)
      assert.isFalse(await isSignedIn(visitor))
    })

  test('what nobody knows here is no mistake of the provider', async ({ assert }) => {
    const { provider } = await useSocial()
    assert.equal((await send(await provider.logoutToken({ sub: 'nobody' }))).status, 204)
  })

  test('a token is accepted once', async ({ assert }) => {
    const social = await useSocial()
    const { ann } = await somebody(social)
    const token = await social.provider.logoutToken({ sub: ann.sub })
    const answers = await Promise.all([1, 2, 3].map(() => send(token)))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 400, 400])
    const { visitor } = await signIn(social, ann)
    assert.equal((await send(token)).status, 400)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a token whose sessions could not be ended is accepted once more', async ({ assert }) => {
    const social = await useSocial()
    const { ann, visitor } = await somebody(social)
    const token = await social.provider.logoutToken({ sub: ann.sub })
    const sessions = (await authManager()).feature('sessions')!
    const restore = replaceForTest(sessions, 'destroyFrom', async () => {
      throw new Error('the database is gone')
    })
    const failed = await send(token)
    restore()
    assert.equal(failed.status, 500)
    assert.isTrue(await isSignedIn(visitor))
    assert.equal((await send(token)).status, 204)
    assert.isFalse(await isSignedIn(visitor))
    assert.equal((await send(token)).status, 400)
  })

  test('new keys of the provider are found', async ({ assert }) => {
    const social = await useSocial()
    const { ann, visitor } = await somebody(social)
    await social.provider.addKey()
    await send(await social.provider.logoutToken({ sub: ann.sub }))
    assert.isFalse(await isSignedIn(visitor))
  })

  test('keys that cannot be read are 503, so that the provider tries again', async ({ assert }) => {
    const social = await useSocial()
    const { ann, visitor } = await somebody(social)
    const token = await social.provider.logoutToken({ sub: ann.sub })
    social.provider.faults.down = true
    const refused = await send(token)
    assert.equal(refused.status, 503)
    assert.equal(refused.headers.get('retry-after'), '30')
    social.provider.faults.down = false
    assert.equal((await send(token)).status, 204)
    assert.isFalse(await isSignedIn(visitor))
  })

  test('an unknown provider, and one that tells of no logouts, is 404', async ({ assert }) => {
    const { provider } = await useSocial()
    const token = await provider.logoutToken({ sub: 'ann' })
    for (const name of ['unknown', 'hub']) {
      assert.equal((await send(token, `/auth/${name}/backchannel-logout`)).status, 404)
    }
  })

  for (const [what, form] of Object.entries({
    'without a token': {},
    'with an empty one': { logout_token: '' },
    'with text': { logout_token: 'x' },
    'with a list': { 'logout_token[]': 'x' },
  })) {
    test(`a request ${what} is invalid_request`, async ({ assert }) => {
      await useSocial()
      const response = await new Visitor().post(PATH, { form: form as Record<string, string> })
      assert.equal(response.status, 400)
      assert.equal(((await response.json()) as any).error, 'invalid_request')
    })
  }
})

const now = () => Math.floor(Date.now() / 1000)

/** What may be wrong with a logout token (§2.6). */
const FORGED: { what: string; faults: () => Faults }[] = [
  { what: 'signature: of another key', faults: () => ({ foreignKey: true }) },
  { what: 'signature: not one', faults: () => ({ signature: 'AAAA' }) },
  { what: 'signature: empty', faults: () => ({ signature: '' }) },
  { what: 'alg: none', faults: () => ({ header: { alg: 'none' } }) },
  { what: 'alg: HS256 with the public key', faults: () => ({ header: { alg: 'HS256' } }) },
  { what: 'kid: unknown', faults: () => ({ header: { kid: 'unknown' } }) },
  { what: 'typ: an access token', faults: () => ({ header: { typ: 'at+jwt' } }) },
  { what: 'iss: another', faults: () => ({ claims: { iss: 'https://evil.example' } }) },
  { what: 'iss: missing', faults: () => ({ claims: { iss: undefined } }) },
  { what: 'aud: another client', faults: () => ({ claims: { aud: 'another' } }) },
  { what: 'aud: missing', faults: () => ({ claims: { aud: undefined } }) },
  { what: 'iat: missing', faults: () => ({ claims: { iat: undefined } }) },
  {
    what: 'iat: in the future',
    faults: () => ({ claims: { iat: now() + 600, exp: now() + 900 } }),
  },
  { what: 'exp: missing', faults: () => ({ claims: { exp: undefined } }) },
  { what: 'exp: later than any clock', faults: () => ({ claims: { exp: 1e300 } }) },
  {
    what: 'exp: so late that it had to be remembered for years',
    faults: () => ({ claims: { exp: now() + 90_000 } }),
  },
  { what: 'exp: over', faults: () => ({ claims: { exp: now() - 60 } }) },
  { what: 'jti: missing', faults: () => ({ claims: { jti: undefined } }) },
  { what: 'events: missing, as in an ID token', faults: () => ({ claims: { events: undefined } }) },
  { what: 'events: of something else', faults: () => ({ claims: { events: { other: {} } } }) },
  {
    what: 'events: not an object',
    faults: () => ({
      claims: { events: { 'http://schemas.openid.net/event/backchannel-logout': 'x' } },
    }),
  },
  { what: 'nonce: there, as in an ID token', faults: () => ({ claims: { nonce: 'x' } }) },
  {
    what: 'neither "sub" nor "sid"',
    faults: () => ({ claims: { sub: undefined, sid: undefined } }),
  },
  { what: 'sub: not a text', faults: () => ({ claims: { sub: 7, sid: undefined } }) },
]

test.group('A logout token that is not valid ends nothing', () => {
  for (const { what, faults } of FORGED) {
    test(what, async ({ assert }) => {
      const social = await useSocial()
      const { ann, visitor } = await somebody(social, 'there')
      social.provider.faults = faults()
      const token = await social.provider.logoutToken({ sub: ann.sub, sid: 'there' })
      assert.equal((await send(token)).status, 400)
      assert.isTrue(await isSignedIn(visitor))
    })
  }
})
