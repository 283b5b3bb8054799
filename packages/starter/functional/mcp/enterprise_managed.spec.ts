import {
  Client,
  CrossAppAccessProvider,
  StreamableHTTPClientTransport,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client'
import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import { appUrl } from '#config/app'
import { diaries } from '#starter/helpers/fixtures/mcp/diary_server'
import { type Trust, identityAssertion, trust } from '#starter/helpers/identity_assertions'
import { url } from '#starter/helpers/mcp_wire'
import { authorizationServer, isolate } from '#starter/helpers/oauth'

const MOUNT = `${appUrl}/mcp/diary`

/** The application as its clients know it, which in tests listens on a port of its own. */
const throughAppUrl = (input: string | URL, init?: RequestInit) =>
  fetch(String(input).replace(appUrl, url('')), init)

/** An identity provider that exchanges the ID token of a person for an assertion (RFC 8693). */
function identityProvider(trusted: Trust, asked: URLSearchParams[]) {
  return async (_input: string | URL, init?: RequestInit) => {
    const form = new URLSearchParams(String(init!.body))
    asked.push(form)
    const assertion = await identityAssertion(trusted, {
      aud: form.get('audience'),
      resource: form.get('resource'),
      scope: form.get('scope') ?? undefined,
    })
    return Response.json({
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      access_token: assertion,
      token_type: 'N_A',
      expires_in: 300,
    })
  }
}

test.group('MCP enterprise-managed authorization', (group) => {
  group.each.setup(isolate)
  group.each.setup(() => diaries.clear())

  test('the SDK’s CrossAppAccessProvider reads and writes as the person, whom nobody asks', async ({
    assert,
  }) => {
    const trusted = await trust({}, { issuer: appUrl })
    const server = await authorizationServer()
    server.config.served.add(() => [MOUNT])
    const asked: URLSearchParams[] = []
    const provider = new CrossAppAccessProvider({
      clientId: trusted.client.id,
      clientSecret: trusted.client.secret!,
      expectedIssuer: appUrl,
      assertion: async ({ authorizationServerUrl, resourceUrl, scope }) => {
        const { jwtAuthGrant } = await requestJwtAuthorizationGrant({
          tokenEndpoint: 'https://acme.idp.example/token',
          audience: authorizationServerUrl,
          resource: resourceUrl,
          idToken: 'the ID token of the person',
          clientId: 'at-the-provider',
          clientSecret: 'secret',
          scope,
          fetchFn: identityProvider(trusted, asked),
        })
        return jwtAuthGrant
      },
    })
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(MOUNT), {
        authProvider: provider,
        fetch: throughAppUrl,
      })
    )
    await client.callTool({ name: 'add_line', arguments: { text: 'From the company' } })
    const { structuredContent } = await client.callTool({ name: 'my_lines' })
    assert.deepEqual(structuredContent, { lines: ['From the company'] })

    const held = provider.tokens()!
    assert.notProperty(held, 'refresh_token')
    const claims = decodeJwt(held.access_token)
    assert.equal(claims.aud, MOUNT)
    assert.equal(claims.sub, String(trusted.user.id))
    assert.equal(asked[0]!.get('resource'), MOUNT)
    await client.close()
  })
})
