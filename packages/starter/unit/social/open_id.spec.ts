import { test } from '@japa/runner'

import { OpenIdProvider, type OpenIdSettings } from '#kit/social/providers/open_id'
import { stopClock } from '#starter/helpers/time'

const ISSUER = 'https://login.example'
/** The verifier of RFC 7636, Appendix B, and its challenge. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** A provider, and how often its metadata were read. */
function provider(settings: Partial<OpenIdSettings> = {}, metadata: object = {}) {
  const reads = { count: 0, fails: false }
  const made = new OpenIdProvider('one', {
    ...{ label: 'One', clientId: 'client', issuer: ISSUER },
    fetch: async () => {
      reads.count++
      if (reads.fails) throw new TypeError('fetch failed')
      return Response.json({
        issuer: ISSUER,
        authorization_endpoint: `${ISSUER}/authorize`,
        ...metadata,
      })
    },
    ...settings,
  })
  return { made, reads }
}

const CHECKS = { state: 's', nonce: 'n', verifier: VERIFIER }

async function parametersOf(settings: Partial<OpenIdSettings>, freshSince: number | null) {
  const { made } = provider(settings)
  const url = await made.authorizationUrl('https://app.example/cb', {
    ...CHECKS,
    freshSince,
  } as any)
  return { address: url.origin + url.pathname, ...Object.fromEntries(url.searchParams) }
}

/** Where the browser goes, and what a provider got that accepts pushed requests alone. */
async function push(settings: Partial<OpenIdSettings>, metadata: object = {}) {
  const pushed = { body: '', headers: new Headers() }
  const { made } = provider({
    clientSecret: 'secret',
    fetch: async (url, { body, headers }) => {
      if (url !== `${ISSUER}/par`) {
        return Response.json({
          ...{ issuer: ISSUER, authorization_endpoint: `${ISSUER}/authorize` },
          pushed_authorization_request_endpoint: `${ISSUER}/par`,
          require_pushed_authorization_requests: true,
          ...metadata,
        })
      }
      Object.assign(pushed, { body: String(body), headers: new Headers(headers) })
      return Response.json({ request_uri: 'urn:pushed', expires_in: 60 }, { status: 201 })
    },
    ...settings,
  })
  const url = await made.authorizationUrl('https://app.example/cb', CHECKS as any)
  return { url, pushed }
}

test.group('Providers of OpenID Connect', () => {
  test('their metadata are read once in an hour', async ({ assert }) => {
    const tick = stopClock()
    const { made, reads } = provider()
    await made.probe()
    tick(3600)
    await made.probe()
    assert.equal(reads.count, 1)
    tick(1)
    await made.probe()
    assert.equal(reads.count, 2)
  })

  test('metadata that could not be read are asked for the next time', async ({ assert }) => {
    const { made, reads } = provider()
    reads.fails = true
    await assert.rejects(() => made.probe(), 'fetch failed')
    reads.fails = false
    await made.probe()
    assert.equal(reads.count, 2)
  })

  test('a request asks for a code with PKCE, for the name and the address', async ({ assert }) => {
    assert.deepEqual(await parametersOf({ parameters: { hd: 'example.com' } }, null), {
      address: `${ISSUER}/authorize`,
      ...{ client_id: 'client', response_type: 'code', redirect_uri: 'https://app.example/cb' },
      ...{ scope: 'openid profile email', nonce: 'n', state: 's', hd: 'example.com' },
      ...{ code_challenge: CHALLENGE, code_challenge_method: 'S256' },
    })
  })

  test('a provider that accepts pushed requests alone gets the request itself', async ({
    assert,
  }) => {
    const { url, pushed } = await push({})
    const body = Object.fromEntries(new URLSearchParams(pushed.body))
    assert.include(body, { state: 's', nonce: 'n', code_challenge: CHALLENGE })
    assert.deepEqual(Object.fromEntries(url.searchParams), {
      ...{ client_id: 'client', request_uri: 'urn:pushed' },
    })
  })

  test('the client secret of {settings.authentication} goes to {methods} in the {place}')
    .with([
      { methods: undefined, settings: {}, place: 'header' },
      { methods: ['client_secret_post', 'client_secret_basic'], settings: {}, place: 'header' },
      { methods: ['private_key_jwt'], settings: {}, place: 'header' },
      { methods: ['client_secret_post'], settings: {}, place: 'body' },
      {
        methods: ['client_secret_post'],
        settings: { authentication: 'client_secret_basic' },
        place: 'header',
      },
      { methods: undefined, settings: { authentication: 'client_secret_post' }, place: 'body' },
    ] as { methods?: string[]; settings: Partial<OpenIdSettings>; place: string }[])
    .run(async ({ assert }, { methods, settings, place }) => {
      const { pushed } = await push(settings, { token_endpoint_auth_methods_supported: methods })
      const isInBody = new URLSearchParams(pushed.body).has('client_secret', 'secret')
      assert.deepEqual(
        [pushed.headers.has('authorization'), isInBody],
        [place === 'header', place === 'body']
      )
    })

  test('the header has {clientSecret} as {encoded}: not every provider decodes it')
    .with([
      { clientSecret: 'GOCSPX-a_b.c*', encoded: 'GOCSPX-a_b.c*' },
      { clientSecret: 'a b:c+d%é', encoded: 'a+b%3Ac%2Bd%25%C3%A9' },
    ])
    .run(async ({ assert }, { clientSecret, encoded }) => {
      const { pushed } = await push({ clientId: 'my-client', clientSecret })
      const credentials = Buffer.from(`my-client:${encoded}`).toString('base64')
      assert.equal(pushed.headers.get('authorization'), `Basic ${credentials}`)
    })

  test('whoever confirms signs in again, as the provider wants it', async ({ assert }) => {
    assert.include(await parametersOf({}, 1), { prompt: 'login', max_age: '0' })
    const own = await parametersOf({ scope: 'openid', reauthentication: { acr: 'x' } }, 1)
    assert.include(own, { acr: 'x', scope: 'openid' })
    assert.notProperty(own, 'prompt')
  })

  test('an issuer over plain http is on this computer', ({ assert }) => {
    assert.throws(
      () => provider({ issuer: 'http://login.example' }),
      'SocialConfig: the issuer of "one" must be an https address'
    )
    assert.doesNotThrow(() => provider({ issuer: 'http://localhost:4000' }))
  })

  test('a setting of a kind that would trust more is refused: {setting} {value}')
    .with([
      { setting: 'trustedFor', value: 'corp.example', kind: 'a list of texts' },
      { setting: 'trustedFor', value: [null], kind: 'a list of texts' },
      { setting: 'acceptsAmr', value: 'false', kind: 'true or false' },
    ])
    .run(({ assert }, { setting, value, kind }) => {
      assert.throws(
        () => provider({ [setting]: value }),
        `SocialConfig "one": "${setting}" must be ${kind}`
      )
    })

  test('without keys in the metadata no logout is believed', async ({ assert }) => {
    const { made } = provider()
    await assert.rejects(() => made.readLogoutToken('x'), /name no keys/)
  })

  test('the provider of an organisation is no other issuer', async ({ assert }) => {
    const many = { issuer: `${ISSUER}/{tenantid}/v2.0` }
    const { made } = provider({ domain: 'example.com' }, many)
    await assert.rejects(() => made.probe())
    await provider({ domain: 'example.com' }).made.probe()
  })

  test('{trustedFor}: addresses of {trusts}')
    .with([
      { trustedFor: undefined, trusts: [] },
      { trustedFor: ['*'], trusts: ['a@one.example', 'a@two.example', 'a@%%'] },
      { trustedFor: ['one.example'], trusts: ['a@one.example'] },
      { trustedFor: ['One.Example', '', '%'], trusts: ['a@one.example'] },
    ] as { trustedFor?: string[]; trusts: string[] }[])
    .run(({ assert }, { trustedFor, trusts }) => {
      const { made } = provider(trustedFor && { trustedFor })
      const addresses = ['a@one.example', 'a@two.example', 'a@%%']
      const isTrusted = (email: string | null) => made.isTrustedFor({ email, claims: {} } as any)
      assert.deepEqual(addresses.filter(isTrusted), trusts)
      assert.isFalse(isTrusted(null))
    })
})
