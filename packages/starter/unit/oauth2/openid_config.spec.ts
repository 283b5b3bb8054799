import { test } from '@japa/runner'

import { type OAuth2Config, defineConfig } from '#kit/oauth2/define_config'
import { contextOf } from '#kit/oauth2/openid/openid'
import { isolate, useConfig } from '#starter/helpers/oauth'

const issuer = 'https://id.example.com'

test.group('OpenIdConfig', () => {
  test('is off by default, on by the setting, and on with openid in the catalogue', ({
    assert,
  }) => {
    const isOn = (config: OAuth2Config) => defineConfig({ issuer, ...config }).openid.enabled
    assert.isFalse(isOn({}))
    assert.isFalse(isOn({ scopes: { 'posts:read': 'Read' } }))
    assert.isTrue(isOn({ openid: { enabled: true } }))
    assert.isTrue(isOn({ scopes: { openid: 'Know you' } }))
    assert.isFalse(isOn({ scopes: { openid: 'Know you' }, openid: { enabled: false } }))
  })

  test('the setting adds its scopes to a catalogue, and an empty one stays empty', ({ assert }) => {
    const scopes = (config: OAuth2Config) =>
      Object.keys(defineConfig({ issuer, ...config }).scopes).sort()
    const enabled = { openid: { enabled: true } }
    assert.deepEqual(scopes({ ...enabled, scopes: { a: 'A' } }), [
      'a',
      'email',
      'openid',
      'profile',
    ])
    assert.deepEqual(scopes(enabled), [])
    assert.deepEqual(scopes({ scopes: { openid: 'Know you' } }), ['openid'])
    const own = defineConfig({ issuer, ...enabled, scopes: { email: 'My words' } })
    assert.equal(own.scopes.email, 'My words')
  })

  for (const [title, config, message] of [
    ['no issuer', { openid: { enabled: true } }, /needs an "issuer".*OAUTH_ISSUER/],
    ['a misspelled setting', { openid: { enable: true } }, /did you mean "enabled"/],
    ['a short salt', { openid: { pairwiseSalt: 'short' } }, /at least 32 bytes/],
    [
      'a claim that is no function',
      { openid: { claims: { a: { b: 'c' } } } },
      /must be a function/,
    ],
    ['an unknown store', { openid: { sessions: { store: 'disk' } } }, /unknown store "disk"/],
  ] as const) {
    test(`${title} is refused`, ({ assert }) => {
      assert.throws(() => defineConfig(config as any), message)
    })
  }
})

test.group('Claims of users', () => {
  const names =
    'iss sub aud exp iat nbf jti nonce auth_time acr amr azp at_hash c_hash sid events'.split(' ')
  for (const name of names) {
    test(`are not ${name}, which the server makes`, ({ assert }) => {
      const claims = { profile: { [name]: () => 'x' } }
      assert.throws(
        () => defineConfig({ issuer, openid: { claims } }),
        `OpenIdConfig: the claim "${name}" of the scope "profile" is made by the server`
      )
    })
  }
})

test.group('The salt of pairwise subjects', () => {
  test('has at least 32 bytes, whatever its characters', ({ assert }) => {
    const saltOf = (pairwiseSalt: string) =>
      defineConfig({ issuer, openid: { pairwiseSalt } }).openid.pairwiseSalt!.release()
    for (const salt of ['x'.repeat(32), 'ä'.repeat(16)]) {
      assert.equal(saltOf(salt), salt)
    }
    assert.throws(() => saltOf('x'.repeat(31)), /at least 32 bytes/)
  })
})

test.group('OpenID Connect at start', (group) => {
  group.each.setup(isolate)

  test('a shared secret stops the start of the server, with what to do', async ({ assert }) => {
    const secret = await useConfig({ issuer, openid: { enabled: true } })
    await secret.keys.ready()
    assert.throws(() => secret.openid!.assertCanSign(), /needs asymmetric keys.*OAUTH_KEYS_STORE/)
    const keys = { store: 'memory' } as const
    const asymmetric = await useConfig({ issuer, keys, openid: { enabled: true } })
    await asymmetric.keys.ready()
    asymmetric.openid!.assertCanSign()
  })
})

test.group('The authentication context class', () => {
  for (const [methods, expected] of [
    [[], null],
    [['pwd'], 'pwd'],
    [['pwd', 'otp', 'mfa'], 'mfa'],
    [['pwd', 'pop', 'user', 'mfa'], 'phr'],
    [['sms'], null],
  ] as const) {
    test(`of "${methods.join(' ')}" is ${expected}`, ({ assert }) => {
      assert.equal(contextOf(methods), expected)
    })
  }
})
