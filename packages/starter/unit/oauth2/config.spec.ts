import { generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'

import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'
import { Secret } from '@adonisjs/core/helpers'
import { test } from '@japa/runner'
import { decodeProtectedHeader } from 'jose'

import { defineConfig as defineAuthConfig } from '#kit/auth/define_config'
import { type OAuth2Config, defineConfig, withFallbacks } from '#kit/oauth2/define_config'
import { type SigningKey, loadConfiguredKey } from '#kit/oauth2/keys/signing_key'
import { KeySet } from '#kit/oauth2/keys/key_set'
import { accessTokensOf } from '#starter/helpers/keys'
import { useConfig } from '#starter/helpers/oauth'

/** Runs something and returns the warnings that the process emitted meanwhile. */
async function warningsOf(run: () => void): Promise<{ name: string; message: string }[]> {
  const warnings: Error[] = []
  const listener = (warning: Error) => warnings.push(warning)
  process.on('warning', listener)
  run()
  await new Promise((resolve) => setImmediate(resolve))
  process.off('warning', listener)
  return warnings
}

test.group('OAuth2Config', () => {
  test('has the defaults of the document', ({ assert }) => {
    const { given, served, ...config } = defineConfig()
    assert.containSubset(config, {
      key: null,
      algorithm: 'HS256',
      keys: { store: 'none', publishFor: 3600 },
      accessTokenTtl: 3600,
      refreshTokenTtl: 1_209_600,
      refreshFamilyTtl: 31_536_000,
      personalAccessTokenTtl: 31_536_000,
      authorizationCodeTtl: 600,
      issuer: null,
      resources: [],
      defaultAudience: null,
      scopes: {},
      defaultScopes: [],
      pkceMethods: ['S256'],
      requirePkce: true,
      requireRedirectUri: true,
      grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
      authorizationGuard: null,
      consentPage: null,
      grantTtl: 31_536_000,
      tokens: { store: 'memory' },
      clients: { store: 'database' },
      clientDocuments: { enabled: true, hosts: null, maxBytes: 5120, fetchesPerMinute: 60 },
      clientAssertions: false,
      dynamicRegistration: false,
      refreshTokenGracePeriod: 0,
      sourceClientGracePeriod: 60,
      writingScopes: [],
      uniqueSubjects: false,
      pushedRequests: { enabled: false, required: false },
      dpop: { enabled: false, nonce: false },
      device: { codeTtl: 600, interval: 5 },
    })
    assert.deepEqual(given, {})
  })

  test('does not show its key', ({ assert }) => {
    const config = defineConfig({ key: new Secret('a very secret key') })
    assert.notInclude(inspect(config, { depth: 10 }), 'a very secret key')
    assert.notInclude(JSON.stringify(config), 'a very secret key')
    assert.notInclude(inspect(defineConfig({ key: 'a very secret key' }).key), 'very secret')
    assert.isNull(defineConfig({ key: '' }).key)
    assert.isNull(defineConfig({ key: new Secret('') }).key)
  })

  const refused: [title: string, config: OAuth2Config][] = [
    ['keys that are published for no time', { keys: { store: 'database', publishFor: 0 } }],
    ['an unknown setting of keys', { keys: { publish: 60 } as never }],
    ['an unknown store of keys', { keys: { store: 'folder' as never } }],
    ['a store of keys without its name', { keys: { instance: {} as never } }],
    ['a lifetime of nothing', { accessTokenTtl: 0 }],
    ['a default audience that is no URI', { defaultAudience: 'api' }],
    [
      'a default audience that is a resource',
      { defaultAudience: 'https://a.example', resources: ['https://a.example'] },
    ],
    ['a lifetime of half a second', { refreshTokenTtl: 0.5 }],
    ['a lifetime that is no number', { authorizationCodeTtl: Number.NaN }],
    ['a negative grace period', { refreshTokenGracePeriod: -1 }],
    ['a grace period of half a second', { sourceClientGracePeriod: 0.5 }],
    ['an issuer that is no URL', { issuer: 'example.com' }],
    ['an issuer that is no text', { issuer: 5 as any }],
    ['an issuer with a query', { issuer: 'https://example.com?x' }],
    ['an issuer with a fragment', { issuer: 'https://example.com#x' }],
    ['an issuer with a user', { issuer: 'https://me@example.com' }],
    ['an issuer with dot segments', { issuer: 'https://example.com/a/../b' }],
    ['an issuer with an empty segment', { issuer: 'https://example.com/a//b' }],
    ['an issuer that would be a route pattern', { issuer: 'https://example.com/:tenant' }],
    ['a resource that is no URI', { resources: ['api'] }],
    ['a resource with a fragment', { resources: ['https://example.com/#x'] }],
    ['* in the catalogue', { scopes: { '*': 'Everything' } }],
    ['* as a default scope', { defaultScopes: ['*'] }],
    ['a scope with a space', { scopes: { 'a b': 'Two' } }],
    ['a default scope outside the catalogue', { scopes: { a: 'A' }, defaultScopes: ['b'] }],
    ['an unknown PKCE method', { pkceMethods: ['S512'] }],
    ['a PKCE method that is no text', { pkceMethods: [5 as any] }],
    ['documents of half a byte', { clientDocuments: { maxBytes: 0.5 } }],
    ['documents of no bytes', { clientDocuments: { maxBytes: 0 } }],
    ['half a fetch a minute', { clientDocuments: { fetchesPerMinute: 0.5 } }],
    ['an unknown setting of documents', { clientDocuments: { maxByte: 1 } as any }],
    ['a host with a scheme', { clientDocuments: { hosts: ['https://claude.ai'] } }],
    ['a host with a path', { clientDocuments: { hosts: ['claude.ai/oauth'] } }],
    ['a host in upper case', { clientDocuments: { hosts: ['Claude.ai'] } }],
    [
      'a host with the port that is meant anyway',
      { clientDocuments: { hosts: ['claude.ai:443'] } },
    ],
    ['a host that is a wildcard', { clientDocuments: { hosts: ['*'] } }],
    ['a text instead of hosts', { clientDocuments: { hosts: 'claude.ai' as any } }],
    ['an empty host', { clientDocuments: { hosts: [''] } }],
    ['an unknown store', { tokens: { store: 'redis' as any } }],
    ['a removed store', { tokens: { store: 'sql' as any } }],
    ['a removed store of clients', { clients: { store: 'async_sql' as any } }],
    ['instance without an instance', { clients: { store: 'instance' } }],
    ['pushed requests that are required and off', { pushedRequests: { required: true } }],
    ['a consent page of another scheme', { consentPage: 'javascript:alert(1)' }],
    ['a consent page that names a host by two slashes', { consentPage: '//evil.example' }],
    ['a consent page without a host', { consentPage: 'https:///consent' }],
    ['a consent page with a fragment', { consentPage: '/consent#x' }],
    ['a writing scope outside the catalogue', { scopes: { a: 'A' }, writingScopes: ['b'] }],
  ]
  for (const [title, config] of refused) {
    test(`refuses ${title}`, ({ assert }) => {
      assert.throws(() => defineConfig(config), InvalidArgumentsException)
    })
  }

  test('takes hosts of documents, with a port or without', ({ assert }) => {
    const hosts = ['claude.ai', 'agent.example.com:8443']
    assert.deepEqual(defineConfig({ clientDocuments: { hosts } }).clientDocuments.hosts, hosts)
  })

  test('a removed store is told to be database', ({ assert }) => {
    assert.throws(() => defineConfig({ tokens: { store: 'sql' as any } }), /"database"/)
  })

  test('the store orm is a deprecated alias of database', async ({ assert }) => {
    let store
    const warnings = await warningsOf(() => {
      store = defineConfig({ tokens: { store: 'orm' } }).tokens.store
    })
    assert.equal(store, 'database')
    assert.equal(warnings[0]!.name, 'DeprecationWarning')
  })

  test('settings left on AuthConfig are a fallback, each with a DeprecationWarning; a value of its own wins', async ({
    assert,
  }) => {
    const { deprecated } = defineAuthConfig({
      key: 'the key of AuthConfig',
      algorithm: 'HS512',
      accessTokenTtl: 1,
      refreshTokenTtl: 2,
      personalAccessTokenTtl: 3,
      authorizationCodeTtl: 4,
      tokens: { store: 'database' },
      issuer: 'https://old.example.com',
      resources: ['https://api.example.com'],
      scopes: { a: 'A' },
      pkceMethods: ['plain'],
      requirePkce: false,
    })
    let config = defineConfig({ accessTokenTtl: 3600, issuer: undefined })
    const warnings = await warningsOf(() => (config = withFallbacks(config, deprecated)))

    assert.equal(config.accessTokenTtl, 3600)
    assert.equal(config.key!.release(), 'the key of AuthConfig')
    assert.equal(config.algorithm, 'HS512')
    assert.equal(config.refreshTokenTtl, 2)
    assert.equal(config.personalAccessTokenTtl, 3)
    assert.equal(config.authorizationCodeTtl, 4)
    assert.equal(config.tokens.store, 'database')
    assert.equal(config.issuer, 'https://old.example.com')
    assert.deepEqual(config.resources, ['https://api.example.com'])
    assert.deepEqual(config.scopes, { a: 'A' })
    assert.deepEqual(config.pkceMethods, ['plain'])
    assert.isFalse(config.requirePkce)
    assert.lengthOf(warnings, 12)
    for (const { name, message } of warnings) {
      assert.equal(name, 'DeprecationWarning')
      assert.notInclude(message, 'the key of AuthConfig')
    }
  })
})

test.group('The signing key', () => {
  const load = async (config: OAuth2Config, inProduction = false) => {
    const warnings: string[] = []
    const key = await loadConfiguredKey(defineConfig(config), {
      inProduction,
      warn: (message) => warnings.push(message),
    })
    return { key, warnings }
  }

  const accessTokens = (configured: SigningKey, issuer: string | null = null) =>
    accessTokensOf(new KeySet({ configured, logger: { error() {} } }), issuer)

  const record = {
    jti: 'jti',
    userId: '1',
    provider: 'users',
    clientId: 'client',
    scopes: ['a'],
    resource: null,
    name: null,
    grantId: null,
    context: null,
    dpopJkt: null,
    lastUsedAt: null,
    createdAt: 1_700_000_000_000,
    expiresAt: 4_000_000_000_000,
    revokedAt: null,
  }

  test('without a key an ephemeral one is made, with a warning', async ({ assert }) => {
    const one = await load({})
    const two = await load({})
    assert.lengthOf(one.warnings, 1)
    assert.match(one.warnings[0]!, /OAUTH_KEY/)
    const token = await accessTokens(one.key).sign(record)
    await accessTokens(one.key).verify(token)
    await assert.rejects(() => accessTokens(two.key).verify(token))
  })

  test('in production a missing key stops the start', async ({ assert }) => {
    await assert.rejects(() => load({}, true), RuntimeException)
    await assert.rejects(() => load({ key: '' }, true), RuntimeException)
  })

  test('a secret shorter than its hash is a warning, and in production a refusal', async ({
    assert,
  }) => {
    const { warnings } = await load({ key: 'short' })
    assert.lengthOf(warnings, 1)
    assert.notInclude(warnings[0], 'short"')
    await assert.rejects(() => load({ key: 'short' }, true), InvalidArgumentsException)
    assert.lengthOf((await load({ key: 'x'.repeat(32) }, true)).warnings, 0)
  })

  for (const [algorithm, bytes] of [
    ['HS256', 32],
    ['HS384', 48],
    ['HS512', 64],
  ] as const) {
    test(`a secret for ${algorithm} has at least ${bytes} bytes (RFC 7518 §3.2)`, async ({
      assert,
    }) => {
      await load({ algorithm, key: 'x'.repeat(bytes) }, true)
      const short = 'x'.repeat(bytes - 1)
      await assert.rejects(
        () => load({ algorithm, key: short }, true),
        `OAuth2Config: "key" must be at least ${bytes} bytes long for ${algorithm}`
      )
    })
  }

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const ed = generateKeyPairSync('ed25519').privateKey
  const pkcs8 = (key: typeof rsa) => key.export({ type: 'pkcs8', format: 'pem' }) as string

  test('an RSA key that is too short stops the start, instead of failing at the first token', async ({
    assert,
  }) => {
    const short = pkcs8(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
    for (const algorithm of ['RS256', 'PS256']) {
      await assert.rejects(() => load({ key: short, algorithm }), /2048 bits/)
    }
  })

  for (const [algorithm, pem] of [
    ['RS256', pkcs8(rsa)],
    ['PS512', pkcs8(rsa)],
    ['RS256', rsa.export({ type: 'pkcs1', format: 'pem' }) as string],
    ['ES256', pkcs8(ec)],
    ['ES256', ec.export({ type: 'sec1', format: 'pem' }) as string],
    ['EdDSA', pkcs8(ed)],
    ['ES256', pkcs8(ec).replaceAll('\n', '\\n')],
  ]) {
    test(`${algorithm} works with ${pem!.slice(0, 30).split('-----')[1]}`, async ({ assert }) => {
      const { key } = await load({ key: pem, algorithm }, true)
      const tokens = accessTokens(key, 'https://id.example.com')
      const token = await tokens.sign(record)
      assert.equal(decodeProtectedHeader(token).alg, algorithm)
      const claims = await accessTokens(key, 'https://id.example.com').verify(token)
      assert.equal(claims.jti, 'jti')
      await assert.rejects(() => accessTokens(key, 'https://other.example.com').verify(token))
    })
  }

  test('an asymmetric algorithm without a key makes an ephemeral pair', async ({ assert }) => {
    const { key, warnings } = await load({ algorithm: 'ES256' })
    assert.lengthOf(warnings, 1)
    await accessTokens(key).verify(await accessTokens(key).sign(record))
  })

  test('an unknown algorithm is refused, with those that there are', async ({ assert }) => {
    await assert.rejects(
      () => useConfig({ algorithm: 'none' }),
      'OAuth2Config: unknown algorithm "none". Use HS256, HS384, HS512, RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519'
    )
  })

  test('an unknown algorithm, and a key that does not fit, are refused without showing the key', async ({
    assert,
  }) => {
    for (const config of [
      { algorithm: 'none' },
      { algorithm: 'HS1' },
      { algorithm: 'constructor' },
      { algorithm: 'RS256', key: 'no PEM at all' },
      { algorithm: 'RS256', key: pkcs8(ec) },
      { algorithm: 'ES384', key: pkcs8(ec) },
    ]) {
      await assert.rejects(
        () => load({ key: 'x'.repeat(64), ...config }),
        InvalidArgumentsException
      )
    }
    const error = await load({ algorithm: 'RS256', key: 'no PEM at all' }).catch((reason) => reason)
    assert.notInclude(error.message, 'no PEM')
  })
})
