import { createSecretKey } from 'node:crypto'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { SignJWT, UnsecuredJWT, decodeJwt } from 'jose'

import { endEverything } from '#kit/accounts/ending'
import { hashSecret } from '#kit/security/secrets'
import { AuthError } from '#kit/auth/errors'
import { defineConfig } from '#kit/oauth2/define_config'
import { JWT_BEARER, type TrustedIssuerConfig } from '#kit/oauth2/trusted_issuers/config'
import { clientKey } from '#starter/helpers/assertions'
import { DocumentServer, useTestFetcher } from '#starter/helpers/document_server'
import { createKey, createProof, useDpop } from '#starter/helpers/dpop'
import {
  IDP,
  OWN_ISSUER,
  type Trust,
  colleague,
  identityAssertion,
  present,
  trust,
} from '#starter/helpers/identity_assertions'
import {
  type Fields,
  OTHER_RESOURCE,
  RESOURCE,
  authorizationServer,
  isolate,
  postToken,
  read,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { replaceForTest, wrapForTest } from '#starter/helpers/replace'
import { USED_LEEWAY, stopClock } from '#starter/helpers/time'
import { Visitor } from '#starter/helpers/visitor'

const METADATA = '/.well-known/oauth-authorization-server'
const REFUSED = 'The assertion is invalid, expired or already used.'
const now = () => Math.floor(Date.now() / 1000)

/** How the server refuses an assertion, and the reason for operators. */
async function refusalOf(trusted: Trust, assertion: string) {
  const server = await authorizationServer()
  const original = server.grants.respond.bind(server.grants)
  let reason: string | null = null
  server.grants.respond = (request) =>
    original(request).catch((error) => {
      reason = error instanceof AuthError ? error.reason : String(error)
      throw error
    })
  const { status, body } = await present(trusted, assertion)
  server.grants.respond = original
  return { reason, status, body }
}

test.group('Identity assertions', (group) => {
  group.each.setup(isolate)

  test('are off until an issuer is trusted, and not in the metadata', async ({ assert }) => {
    const { body } = await postToken({ grant_type: JWT_BEARER, assertion: 'x' })
    assert.equal(body.error, 'unsupported_grant_type')
    const metadata = await read(await new Visitor().get(METADATA))
    assert.notInclude(metadata.body.grant_types_supported, JWT_BEARER)
    assert.notProperty(metadata.body, 'authorization_grant_profiles_supported')
  })

  test('the metadata name grant and profile when they are on', async ({ assert }) => {
    await trust()
    const { body } = await read(await new Visitor().get(METADATA))
    assert.include(body.grant_types_supported, JWT_BEARER)
    assert.deepEqual(body.authorization_grant_profiles_supported, [
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ])
  })

  test('one becomes a short access token of the person for the resource, and no refresh token', async ({
    assert,
  }) => {
    const trusted = await trust()
    const { status, body } = await present(trusted, await identityAssertion(trusted))
    assert.equal(status, 200)
    assert.notProperty(body, 'refresh_token')
    assert.equal(body.expires_in, 600)
    assert.equal(body.scope, 'posts:read')
    const claims = decodeJwt(body.access_token)
    assert.equal(claims.aud, RESOURCE)
    assert.equal(claims.sub, String(trusted.user.id))
    assert.equal(claims.client_id, trusted.client.id)
  })

  test('the issuer may have a shorter lifetime, and never a longer one than the server', async ({
    assert,
  }) => {
    const short = await trust({ accessTokenTtl: 60 })
    assert.equal((await present(short, await identityAssertion(short))).body.expires_in, 60)
    const long = await trust({ accessTokenTtl: 9000 }, { accessTokenTtl: 120 })
    assert.equal((await present(long, await identityAssertion(long))).body.expires_in, 120)
  })

  test('is right as well with {title}')
    .with([
      { title: 'aud as a list of one', claims: { aud: [OWN_ISSUER] } },
      { title: 'resource as a list of one', claims: { resource: [RESOURCE] } },
      { title: 'no email_verified', claims: { email_verified: undefined } },
      { title: 'an address in upper case', upper: true },
      { title: 'the long form of its type', header: { typ: 'application/oauth-id-jag+jwt' } },
      { title: 'no kid', header: { kid: undefined } },
    ])
    .run(async ({ assert }, { claims, header, upper }) => {
      const trusted = await trust()
      const email = upper ? { email: trusted.user.email.toUpperCase() } : {}
      const assertion = await identityAssertion(trusted, { ...claims, ...email }, header)
      assert.equal((await present(trusted, assertion)).status, 200)
    })

  test('is right up to its bounds: an hour, a clock that is a minute ahead, and long names', async ({
    assert,
  }) => {
    stopClock()
    const trusted = await trust()
    const times = { iat: now() + 60, nbf: now() + 60, exp: now() + 3660 }
    const names = { sub: 'x'.repeat(255), jti: 'x'.repeat(255) }
    const assertion = await identityAssertion(trusted, { ...times, ...names })
    assert.equal((await present(trusted, assertion)).status, 200)
  })

  type Wrong = [title: string, change: () => Record<string, unknown>, reason: string]
  const wrongClaim = (claim: string) => `claim ${claim} of the assertion missing or wrong`
  const WRONG: Wrong[] = [
    [
      'an issuer that is not trusted',
      () => ({ iss: 'https://other.idp.example' }),
      'assertion malformed, or of an issuer that is not trusted',
    ],
    [
      'the issuer with a slash behind it',
      () => ({ iss: `${IDP}/` }),
      'assertion malformed, or of an issuer that is not trusted',
    ],
    [
      'no issuer',
      () => ({ iss: undefined }),
      'assertion malformed, or of an issuer that is not trusted',
    ],
    ['another server as audience', () => ({ aud: 'https://other.example' }), wrongClaim('aud')],
    [
      'this server and another one as audience',
      () => ({ aud: [OWN_ISSUER, 'https://b.example'] }),
      wrongClaim('aud'),
    ],
    [
      'its token endpoint as audience',
      () => ({ aud: `${OWN_ISSUER}/oauth/token` }),
      wrongClaim('aud'),
    ],
    ['no audience', () => ({ aud: undefined }), wrongClaim('aud')],
    ['an empty list of audiences', () => ({ aud: [] }), wrongClaim('aud')],
    ['another client', () => ({ client_id: 'somebody' }), wrongClaim('client_id')],
    ['no client', () => ({ client_id: undefined }), wrongClaim('client_id')],
    ['no subject', () => ({ sub: undefined }), wrongClaim('sub')],
    ['an empty subject', () => ({ sub: '' }), wrongClaim('sub')],
    ['a subject of 256 characters', () => ({ sub: 'x'.repeat(256) }), wrongClaim('sub')],
    ['a tenant', () => ({ tenant: 'acme' }), wrongClaim('tenant')],
    ['no exp', () => ({ exp: undefined }), wrongClaim('exp')],
    ['an exp that is past', () => ({ exp: now() }), wrongClaim('exp')],
    ['an exp that is a text', () => ({ exp: String(now() + 60) }), wrongClaim('exp')],
    ['an exp in the far future', () => ({ iat: now() + 60, exp: now() + 3661 }), wrongClaim('exp')],
    ['a life of more than an hour', () => ({ iat: now() - 3301 }), wrongClaim('iat')],
    ['no iat', () => ({ iat: undefined }), wrongClaim('iat')],
    ['an iat in the future', () => ({ iat: now() + 61 }), wrongClaim('iat')],
    ['an nbf in the future', () => ({ nbf: now() + 61 }), wrongClaim('nbf')],
    ['no jti', () => ({ jti: undefined }), wrongClaim('jti')],
    ['an empty jti', () => ({ jti: '' }), wrongClaim('jti')],
    ['a jti of 256 characters', () => ({ jti: 'x'.repeat(256) }), wrongClaim('jti')],
    ['a jti that is a number', () => ({ jti: 7 }), wrongClaim('jti')],
    [
      'a resource that is not served here',
      () => ({ resource: 'https://other.example/mcp' }),
      'claim resource of the assertion not for here',
    ],
    ['no resource', () => ({ resource: undefined }), wrongClaim('resource')],
    ['two resources', () => ({ resource: [RESOURCE, OTHER_RESOURCE] }), wrongClaim('resource')],
    [
      'a scope that is unknown here',
      () => ({ scope: 'posts:read unknown' }),
      'claim scope of the assertion not for here',
    ],
    ['the scope *', () => ({ scope: '*' }), 'claim scope of the assertion not for here'],
    ['a scope that is a list', () => ({ scope: ['posts:read'] }), wrongClaim('scope')],
    [
      'an address of another domain',
      () => ({ email: 'person@other.example' }),
      'e-mail address of a domain that the issuer is not trusted for',
    ],
    [
      'an address of a domain below',
      () => ({ email: 'person@sub.acme.example' }),
      'e-mail address of a domain that the issuer is not trusted for',
    ],
    [
      'an address that nobody has',
      () => ({ email: 'nobody@acme.example' }),
      'subject of the assertion unknown or inactive',
    ],
    [
      'an address without a domain',
      () => ({ email: 'acme.example' }),
      'e-mail address of a domain that the issuer is not trusted for',
    ],
    [
      'an address that the issuer has not verified',
      () => ({ email_verified: false }),
      'assertion without an e-mail address, or with one that is not verified',
    ],
    [
      'an address whose lower case is that of another mailbox: with the sign for kelvin',
      () => ({ email: '\u212aim@acme.example' }),
      'assertion without an e-mail address, or with one that is not verified',
    ],
    [
      'an email_verified that is a text',
      () => ({ email_verified: 'true' }),
      'assertion without an e-mail address, or with one that is not verified',
    ],
    [
      'no address',
      () => ({ email: undefined }),
      'assertion without an e-mail address, or with one that is not verified',
    ],
    ['a key that nobody proves', () => ({ cnf: { jkt: 'x' } }), 'assertion bound to another key'],
  ]
  for (const [title, change, expected] of WRONG) {
    test(`one with ${title} is refused, and tells nothing`, async ({ assert }) => {
      stopClock()
      const trusted = await trust()
      const assertion = await identityAssertion(trusted, change())
      const { status, body, reason } = await refusalOf(trusted, assertion)
      assert.equal(status, 400)
      assert.deepEqual(body, { error: 'invalid_grant', error_description: REFUSED })
      assert.equal(reason, expected)
    })
  }

  test('one is refused when its signature is {title}')
    .with([
      { title: 'that of another key' },
      { title: 'that of another key with the right name' },
      { title: 'none' },
      { title: 'an HMAC with the public key' },
      { title: 'cut off' },
      { title: 'of other claims' },
    ])
    .run(async ({ assert }, { title }) => {
      const trusted = await trust()
      const { key } = trusted
      const right = await identityAssertion(trusted)
      const claims = decodeJwt(right)
      const header = { alg: 'HS256', typ: 'oauth-id-jag+jwt', kid: key.kid }
      const texts: Record<string, () => Promise<string> | string> = {
        'that of another key': async () =>
          identityAssertion({ ...trusted, key: await clientKey() }),
        'that of another key with the right name': async () =>
          identityAssertion({ ...trusted, key: await clientKey('ES256', key.kid) }),
        'none': () => new UnsecuredJWT(claims).encode(),
        'an HMAC with the public key': () =>
          new SignJWT(claims)
            .setProtectedHeader(header)
            .sign(createSecretKey(Buffer.from(JSON.stringify(key.jwk)))),
        'cut off': () => right.slice(0, right.lastIndexOf('.') + 1),
        'of other claims': async () => {
          const [head, , signature] = right.split('.')
          const other = (await identityAssertion(trusted)).split('.')[1]
          return `${head}.${other}.${signature}`
        },
      }
      const { status, body } = await present(trusted, await texts[title]!())
      assert.equal(status, 400)
      assert.deepEqual(body, { error: 'invalid_grant', error_description: REFUSED })
      assert.equal((await present(trusted, right)).status, 200)
    })

  test('a token of another kind that the issuer has signed is refused: {$self}')
    .with(['JWT', 'at+jwt', 'oauth-id-jag', 'id_token', ''])
    .run(async ({ assert }, typ) => {
      const trusted = await trust()
      const header = { typ: typ || undefined }
      const { body } = await present(trusted, await identityAssertion(trusted, {}, header))
      assert.equal(body.error, 'invalid_grant')
    })

  test('text that is no JWT is refused: {$self}')
    .with(['x', 'a.b.c', '..', 'e30.e30.', 'a.b.c.d.e'])
    .run(async ({ assert }, text) => {
      const { status, body } = await present(await trust(), text)
      assert.equal(status, 400)
      assert.equal(body.error, 'invalid_grant')
    })

  test('one works once, whoever presents it and whatever is asked for', async ({ assert }) => {
    const trusted = await trust()
    const assertion = await identityAssertion(trusted)
    assert.equal((await present(trusted, assertion)).status, 200)
    const { jti, exp } = decodeJwt(assertion)
    const [used] = await db.from('used_once')
    assert.equal(used.digest, hashSecret(`identity_assertion ${IDP} ${jti}`))
    assert.equal(Number(used.expires_at), exp! * 1000 + USED_LEEWAY)
    assert.equal((await present(trusted, assertion)).body.error, 'invalid_grant')
    const { reason } = await refusalOf(trusted, assertion)
    assert.equal(reason, 'assertion used before')
  })

  test('of many requests with one at once a single one gets a token', async ({ assert }) => {
    const trusted = await trust()
    const assertion = await identityAssertion(trusted)
    const answers = await Promise.all(Array.from({ length: 8 }, () => present(trusted, assertion)))
    assert.lengthOf(
      answers.filter(({ status }) => status === 200),
      1
    )
  })

  test('a refusal does not use it up', async ({ assert }) => {
    const trusted = await trust()
    const assertion = await identityAssertion(trusted)
    for (const more of [{ scope: 'posts:write' }, { resource: OTHER_RESOURCE }] as Fields[]) {
      assert.equal((await present(trusted, assertion, more)).status, 400)
    }
    assert.equal((await present(trusted, assertion)).status, 200)
  })

  test('the request may repeat the resource, and name no other', async ({ assert }) => {
    const trusted = await trust()
    const fits = await present(trusted, await identityAssertion(trusted), { resource: RESOURCE })
    assert.equal(fits.status, 200)
    const assertion = await identityAssertion(trusted)
    const { body } = await present(trusted, assertion, { resource: OTHER_RESOURCE })
    assert.equal(body.error, 'invalid_target')
  })

  test('the scopes are those of the assertion, all of which a request that names some has to name', async ({
    assert,
  }) => {
    const trusted = await trust()
    const wider = await present(trusted, await identityAssertion(trusted), {
      scope: 'posts:read posts:write offline_access',
    })
    assert.equal(wider.body.scope, 'posts:read')
    const both = { scope: 'posts:read posts:write' }
    const narrower = await present(trusted, await identityAssertion(trusted, both), {
      scope: 'posts:read',
    })
    assert.equal(narrower.body.error, 'invalid_grant')
    const unknown = await present(trusted, await identityAssertion(trusted), { scope: 'unknown' })
    assert.equal(unknown.body.error, 'invalid_scope')
  })

  test('one without scopes gives the default ones, and no more', async ({ assert }) => {
    const trusted = await trust({}, { defaultScopes: ['posts:read'] })
    const none = { scope: undefined }
    const { body } = await present(trusted, await identityAssertion(trusted, none))
    assert.equal(body.scope, 'posts:read')
    const asking = await present(trusted, await identityAssertion(trusted, none), {
      scope: 'posts:read posts:write',
    })
    assert.equal(asking.body.scope, 'posts:read')
  })

  test('a scope that the client may not have is refused', async ({ assert }) => {
    const trusted = await trust()
    const client = await registerClient({ grantTypes: [JWT_BEARER], scopes: ['posts:read'] })
    const own = { ...trusted, client }
    const claims = { scope: 'posts:read posts:write' }
    assert.equal((await present(own, await identityAssertion(own, claims))).status, 400)
    assert.equal((await present(own, await identityAssertion(own))).status, 200)
  })

  test('the client authenticates, is confidential and allowed: not {title}')
    .with([
      { title: 'without a secret', secret: undefined, error: 'invalid_client' },
      { title: 'with a wrong secret', secret: 'wrong', error: 'invalid_client' },
      { title: 'a public one', confidential: false, error: 'unauthorized_client' },
      { title: 'for another grant', grantTypes: ['refresh_token'], error: 'unauthorized_client' },
    ])
    .run(async ({ assert }, { error, confidential, grantTypes, ...wrong }) => {
      const trusted = await trust()
      const client = await registerClient({ confidential, grantTypes: grantTypes ?? [JWT_BEARER] })
      const own = { ...trusted, client }
      const fields = 'secret' in wrong ? { client_secret: wrong.secret } : {}
      const { body } = await present(own, await identityAssertion(own), fields)
      assert.equal(body.error, error)
    })

  test('a client cannot present the assertion of another one', async ({ assert }) => {
    const trusted = await trust()
    const other = await registerClient({ grantTypes: [JWT_BEARER] })
    const assertion = await identityAssertion(trusted)
    const { body } = await present({ ...trusted, client: other }, assertion)
    assert.equal(body.error, 'invalid_grant')
    assert.equal((await present(trusted, assertion)).status, 200)
  })

  test('the parameter is named when it is missing', async ({ assert }) => {
    const trusted = await trust()
    const { body } = await present(trusted, '')
    assert.equal(body.error, 'invalid_request')
    assert.include(body.error_description, 'assertion')
  })

  test('the account has a verified address: a stranger could have registered it', async ({
    assert,
  }) => {
    const trusted = await trust()
    const user = await colleague({ emailVerifiedAt: null })
    const { reason, body } = await refusalOf(trusted, await identityAssertion({ ...trusted, user }))
    assert.equal(reason, 'address of the user not verified')
    assert.equal(body.error_description, REFUSED)
  })

  test('whoever is deactivated while their token is stored has none when they are activated', async ({
    assert,
  }) => {
    const trusted = await trust()
    const { tokens } = await authorizationServer()
    let jti = ''
    wrapForTest(tokens, 'insertUnlessRevoked', (insert) => async (issued, clients) => {
      jti = issued.access.jti
      await trusted.user.merge({ isActive: false }).save()
      await endEverything(trusted.user)
      return insert!(issued, clients)
    })
    const { status, body } = await present(trusted, await identityAssertion(trusted))
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    const stored = await tokens.findAccessToken(jti)
    assert.isNotNull(stored!.record.revokedAt)
  })

  test('the account is active', async ({ assert }) => {
    const trusted = await trust()
    const user = await colleague({ isActive: false })
    const { reason } = await refusalOf(trusted, await identityAssertion({ ...trusted, user }))
    assert.equal(reason, 'subject of the assertion unknown or inactive')
  })

  test('a function of the application finds the user by issuer and subject', async ({ assert }) => {
    const known = await colleague({ email: 'anywhere@example.com', emailVerifiedAt: null })
    const seen: unknown[] = []
    const trusted = await trust({
      resolveUser: ({ issuer, subject, provider, claims }) => {
        seen.push({ issuer, subject, provider, department: claims.department })
        return subject === 'known' ? known.id : null
      },
    })
    const claims = { sub: 'known', email: undefined, department: 'A' }
    const { body } = await present(trusted, await identityAssertion(trusted, claims))
    assert.equal(decodeJwt(body.access_token).sub, String(known.id))
    assert.deepEqual(seen, [{ issuer: IDP, subject: 'known', provider: 'users', department: 'A' }])
    const { reason } = await refusalOf(trusted, await identityAssertion(trusted, { sub: 'x' }))
    assert.equal(reason, 'subject of the assertion unknown or inactive')
  })

  test('where sign-in needs a verified address, so does a user whom the application finds', async ({
    assert,
  }) => {
    const settings = app.config.get<{ required: boolean }>('email_verification')
    replaceForTest(settings, 'required', true)
    const user = await colleague({ emailVerifiedAt: null })
    const trusted = await trust({ resolveUser: () => user.id })
    const assertion = await identityAssertion(trusted)
    const { status, body, reason } = await refusalOf(trusted, assertion)
    assert.equal(status, 400)
    assert.deepEqual(body, { error: 'invalid_grant', error_description: REFUSED })
    assert.equal(reason, 'address of the user not verified')
    await user.merge({ emailVerifiedAt: Date.now() }).save()
    assert.equal((await present(trusted, assertion)).status, 200)
  })

  test('a client whose user provider has left the config gets no token', async ({ assert }) => {
    const trusted = await trust()
    await db.from('oauth_clients').where('id', trusted.client.id).update({ provider: 'gone' })
    const { status, body, reason } = await refusalOf(trusted, await identityAssertion(trusted))
    assert.equal(status, 400)
    assert.deepEqual(body, { error: 'invalid_grant', error_description: REFUSED })
    assert.equal(reason, 'client acts for users of no configured user provider')
  })

  test('of an issuer with several tenants one of them is trusted', async ({ assert }) => {
    const trusted = await trust({ tenant: 'acme' })
    for (const [tenant, status] of [
      ['acme', 200],
      ['other', 400],
      [undefined, 400],
    ] as const) {
      assert.equal(
        (await present(trusted, await identityAssertion(trusted, { tenant }))).status,
        status
      )
    }
  })

  test('one that is bound to a key works with its proof, and the token is bound to it', async ({
    assert,
  }) => {
    const trusted = await trust({}, { dpop: { enabled: true } })
    await useDpop()
    const key = await createKey()
    const assertion = await identityAssertion(trusted, { cnf: { jkt: key.jkt } })
    const url = { url: `${OWN_ISSUER}/oauth/token` }
    const other = { dpop: await createProof(await createKey(), url) }
    assert.equal((await present(trusted, assertion, {}, other)).body.error, 'invalid_grant')
    const right = { dpop: await createProof(key, url) }
    const { body } = await present(trusted, assertion, {}, right)
    assert.equal(body.token_type, 'DPoP')
  })

  test('operators are told the reason', async ({ assert }) => {
    const trusted = await trust()
    const aud = await identityAssertion(trusted, { aud: 'https://other.example' })
    assert.equal(
      (await refusalOf(trusted, aud)).reason,
      'claim aud of the assertion missing or wrong'
    )
    const resource = await identityAssertion(trusted, { resource: 'https://other.example' })
    assert.equal(
      (await refusalOf(trusted, resource)).reason,
      'claim resource of the assertion not for here'
    )
  })
})

test.group('Identity assertions | keys of the issuer', (group) => {
  const site = new DocumentServer()
  group.each.setup(isolate)
  group.each.setup(() => site.start())

  const OPENID = '/.well-known/openid-configuration'

  /** A provider on the site, whose metadata are at this path. */
  async function provider(path = OPENID, members: object = {}, issuer = site.url('')) {
    useTestFetcher()
    const trusted = await trust({ issuer, jwks: undefined })
    const jwks = { keys: [{ ...trusted.key.jwk, x5c: ['x'.repeat(20_000)] }] }
    site.serve('/jwks', JSON.stringify(jwks))
    site.serve(path, JSON.stringify({ issuer, jwks_uri: site.url('/jwks'), ...members }))
    const ask = async () => present(trusted, await identityAssertion(trusted, { iss: issuer }))
    return { trusted, ask }
  }

  test('are those that its metadata name, and are kept', async ({ assert }) => {
    const { ask } = await provider()
    assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 200)
    assert.deepEqual(
      site.requests.map(({ url }) => url),
      [OPENID, '/jwks']
    )
  })

  test('the metadata of an authorization server will do (RFC 8414 §3.1)', async ({ assert }) => {
    const path = '/.well-known/oauth-authorization-server/tenant'
    const { ask } = await provider(path, {}, site.url('/tenant'))
    assert.equal((await ask()).status, 200)
  })

  test('metadata are refused when {title}')
    .with([
      { title: 'they name another issuer', members: { issuer: 'https://other.example' } },
      { title: 'they name none', members: { issuer: undefined } },
      { title: 'they name no keys', members: { jwks_uri: undefined } },
      { title: 'the keys are at an address', members: { jwks_uri: 'https://127.0.0.1/jwks' } },
      { title: 'the keys are not behind https', members: { jwks_uri: 'http://a.example/jwks' } },
    ])
    .run(async ({ assert }, { members }) => {
      const { ask } = await provider(OPENID, members)
      const { status, body } = await ask()
      assert.equal(status, 400)
      assert.deepEqual(body, { error: 'invalid_grant', error_description: REFUSED })
      assert.notInclude(
        site.requests.map(({ url }) => url),
        '/jwks'
      )
    })

  test('an issuer at a private address is not asked', async ({ assert }) => {
    const { ask } = await provider()
    useTestFetcher({ isAllowed: undefined })
    assert.equal((await ask()).status, 400)
    assert.isEmpty(site.requests)
  })

  test('nobody without a client makes the server fetch them', async ({ assert }) => {
    const { trusted } = await provider()
    const assertion = await identityAssertion(trusted, { iss: site.url('') })
    const { status } = await present(trusted, assertion, { client_secret: 'wrong' })
    assert.equal(status, 401)
    assert.isEmpty(site.requests)
  })
})

test.group('OAuth2Config | trustedIssuers', (group) => {
  group.each.setup(isolate)

  const domains = ['acme.example']
  const WRONG: [title: string, issuers: unknown[], message: RegExp][] = [
    ['http', [{ issuer: 'http://acme.example', domains }], /must be an https URL/],
    ['an address', [{ issuer: 'https://127.0.0.1', domains }], /must be an https URL/],
    ['a query', [{ issuer: 'https://acme.example/?a=b', domains }], /must be an https URL/],
    ['twice the same', [1, 2].map(() => ({ issuer: IDP, domains })), /is there twice/],
    ['this server', [{ issuer: OWN_ISSUER, domains }], /or is this server itself/],
    ['nobody whom it speaks for', [{ issuer: IDP }], /either "domains" or "resolveUser"/],
    ['both', [{ issuer: IDP, domains, resolveUser: () => 1 }], /either "domains"/],
    ['an address as domain', [{ issuer: IDP, domains: ['a@acme.example'] }], /domain of e-mail/],
    ['a domain in upper case', [{ issuer: IDP, domains: ['Acme.example'] }], /in lower case/],
    ['every domain', [{ issuer: IDP, domains: ['*'] }], /domain of e-mail/],
    ['no keys', [{ issuer: IDP, domains, jwks: { keys: [] } }], /1 to 20 public keys/],
    [
      'a lifetime of none',
      [{ issuer: IDP, domains, accessTokenTtl: 0 }],
      /TrustedIssuerConfig: "accessTokenTtl" .* above 0/,
    ],
    ['half a second', [{ issuer: IDP, domains, accessTokenTtl: 1.5 }], /a whole number/],
    [
      'a misspelled setting',
      [{ issuer: IDP, domain: domains }],
      /TrustedIssuerConfig: .*did you mean "domains"/,
    ],
  ]
  for (const [title, trustedIssuers, message] of WRONG) {
    test(`refuses ${title}`, ({ assert }) => {
      const config = { issuer: OWN_ISSUER, trustedIssuers: trustedIssuers as TrustedIssuerConfig[] }
      assert.throws(() => defineConfig(config), message)
    })
  }

  test('takes up to 20 keys of an issuer, of which it keeps those for signatures', async ({
    assert,
  }) => {
    const { jwk } = await clientKey()
    const resolve = (keys: object[]) =>
      defineConfig({
        issuer: OWN_ISSUER,
        trustedIssuers: [{ issuer: IDP, domains, jwks: { keys } }],
      })
    const others = [
      { ...jwk, use: 'enc' },
      { ...jwk, kty: 'oct' },
      { ...jwk, alg: 'HS256' },
    ]
    const keys = [...others, ...Array.from({ length: 17 }, () => jwk)]
    assert.lengthOf(resolve(keys).trustedIssuers[0]!.jwks!, 17)
    for (const wrong of [[...keys, jwk], others, [{ ...jwk, d: 'secret' }]]) {
      assert.throws(() => resolve(wrong), /1 to 20 public keys/)
    }
  })

  test('needs an issuer of this server: assertions are made out to it', ({ assert }) => {
    const config = { trustedIssuers: [{ issuer: IDP, domains }] }
    assert.throws(() => defineConfig(config), /needs an "issuer"/)
  })

  test('the grant cannot be enabled without them', async ({ assert }) => {
    const server = await useConfig({ grantTypes: [JWT_BEARER] })
    assert.throws(() => server.grants.assertEnabled(), /unknown grant type/)
  })
})
