import { test } from '@japa/runner'

import catalogue from '#config/scopes'
import { useConfig } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const PATH = '/.well-known/oauth-authorization-server'

const metadata = async () => (await new Visitor().get(PATH)).json() as Promise<any>

test.group('GET /.well-known/oauth-authorization-server', () => {
  test('answers the server metadata of RFC 8414', async ({ assert }) => {
    const url = await serverUrl()
    const response = await new Visitor().get(PATH)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type')!, /^application\/json/)
    assert.deepEqual(await response.json(), {
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      revocation_endpoint: `${url}/oauth/revoke`,
      introspection_endpoint: `${url}/oauth/introspect`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
      scopes_supported: [...Object.keys(catalogue), 'offline_access'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      revocation_endpoint_auth_methods_supported: [
        'client_secret_basic',
        'client_secret_post',
        'none',
      ],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
  })

  test('says whether clients can come by a document, and where they register themselves', async ({
    assert,
  }) => {
    await useConfig({ clientDocuments: { enabled: false }, dynamicRegistration: true })
    const document = await metadata()
    assert.notProperty(document, 'client_id_metadata_document_supported')
    assert.equal(document.registration_endpoint, await serverUrl('/oauth/register'))
  })

  test('a configured issuer is named without its trailing slash', async ({ assert }) => {
    await useConfig({ issuer: 'https://id.example.com/' })
    const { issuer, token_endpoint: endpoint } = await metadata()
    assert.equal(issuer, 'https://id.example.com')
    assert.equal(endpoint, 'https://id.example.com/oauth/token')
  })

  test('says what is configured, and leaves an empty catalogue out', async ({ assert }) => {
    const grantTypes = ['refresh_token']
    await useConfig({ scopes: {}, grantTypes, pkceMethods: ['plain', 's256'] })
    const document = await metadata()
    assert.notProperty(document, 'scopes_supported')
    assert.deepEqual(document.grant_types_supported, grantTypes)
    assert.deepEqual(document.code_challenge_methods_supported, ['plain', 'S256'])
  })

  test('leaves out challenge methods where none is accepted (RFC 8414 §3.2)', async ({
    assert,
  }) => {
    await useConfig({ pkceMethods: [] })
    assert.notProperty(await metadata(), 'code_challenge_methods_supported')
  })
})
