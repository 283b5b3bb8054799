import { test } from '@japa/runner'

import { isolate, useConfig } from '#starter/helpers/oauth'
import { useOpenId } from '#starter/helpers/openid'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const OPENID = '/.well-known/openid-configuration'
const OAUTH = '/.well-known/oauth-authorization-server'

test.group('Discovery (OpenID Connect Discovery 1.0 §3)', (group) => {
  group.each.setup(isolate)

  test('the document has what clients need, and is the same as that of RFC 8414', async ({
    assert,
  }) => {
    await useOpenId()
    const issuer = await serverUrl()
    const response = await new Visitor().get(OPENID)
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    const document = (await response.json()) as Record<string, any>
    assert.deepEqual(await (await new Visitor().get(OAUTH)).json(), document)
    assert.deepInclude(document, {
      issuer,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      end_session_endpoint: `${issuer}/oauth/logout`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      response_types_supported: ['code'],
      subject_types_supported: ['public', 'pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
      acr_values_supported: ['phr', 'mfa', 'pwd'],
      claim_types_supported: ['normal'],
      claims_supported: [
        ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr'],
        ...['at_hash', 'sid', 'name', 'updated_at', 'email', 'email_verified'],
      ],
      prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
      display_values_supported: ['page'],
    })
    assert.includeMembers(document.scopes_supported, ['openid', 'profile', 'email'])
    for (const uri of Object.values(document).filter((value) => String(value).startsWith('http'))) {
      const { pathname } = new URL(String(uri))
      assert.notEqual((await new Visitor().get(pathname)).status, 404, pathname)
    }
  })

  test('says no pairwise where there is no salt', async ({ assert }) => {
    await useOpenId({ openid: { enabled: true, pairwiseSalt: null } })
    const document = (await (await new Visitor().get(OPENID)).json()) as any
    assert.deepEqual(document.subject_types_supported, ['public'])
  })

  test('pages of every origin can read it', async ({ assert }) => {
    await useOpenId()
    const headers = { origin: 'https://spa.example.com' }
    const response = await new Visitor().get(OPENID, { headers })
    assert.equal(response.headers.get('access-control-allow-origin'), '*')
  })
})

test.group('OpenID Connect that is off', (group) => {
  group.each.setup(isolate)

  for (const [method, path] of [
    ['GET', OPENID],
    ['GET', '/oauth/userinfo'],
    ['POST', '/oauth/userinfo'],
    ['GET', '/oauth/logout'],
    ['POST', '/oauth/logout'],
    ['POST', '/oauth/logout/confirm'],
    ['POST', '/oauth/authorizations/handle/select'],
  ] as const) {
    test(`${method} ${path} is not there`, async ({ assert }) => {
      const response = await new Visitor().request(method, path)
      assert.equal(response.status, 404)
    })
  }

  test('says nothing of itself in the metadata of RFC 8414', async ({ assert }) => {
    await useConfig({ issuer: await serverUrl() })
    const document = (await (await new Visitor().get(OAUTH)).json()) as object
    for (const name of ['userinfo_endpoint', 'end_session_endpoint', 'subject_types_supported']) {
      assert.notProperty(document, name)
    }
  })
})
