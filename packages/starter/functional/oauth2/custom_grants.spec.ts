import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { InvalidGrant } from '#kit/auth/errors'
import type { ClientRequest } from '#kit/oauth2/clients/client_authentication'
import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { type Grant, assertMayUse } from '#kit/oauth2/grants/grant'
import { pageBlocks } from '#starter/helpers/document_blocks'
import { BadgeGrant } from '#starter/helpers/fixtures/badge_grant'
import {
  credentials,
  isolate,
  obtainTokens,
  opens,
  postToken,
  registerClient,
  useConfig,
} from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const IDENTIFIER = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** A small token exchange (RFC 8693): an access token becomes one of another client, with fewer scopes. */
class TokenExchangeGrant implements Grant {
  readonly identifier = IDENTIFIER

  constructor(protected services: AuthorizationServer) {}

  async handle(request: ClientRequest) {
    const { config, authentication, accessTokens, tokens, issuance } = this.services
    const client = await authentication.authenticate(request, authentication.read(request))
    assertMayUse(config, client, this.identifier)

    const claims = await accessTokens.verify(request.parameters.require('subject_token'))
    const found = await tokens.findAccessToken(claims.jti)
    if (!found || found.record.userId === null || found.record.provider === null) {
      throw new InvalidGrant('The subject_token is not that of a user.')
    }
    const { userId, provider } = found.record
    return issuance.issue(
      this.identifier,
      {
        user: { userId, provider },
        clientId: client.id,
        scopes: ['posts:read'],
        resource: null,
      },
      false
    )
  }
}

test.group('A grant of one’s own', (group) => {
  group.each.setup(isolate)

  const grantTypes = ['authorization_code', 'refresh_token', IDENTIFIER]
  const WAYS: [title: string, add: () => Promise<unknown>][] = [
    ['named as a class', () => useConfig({ grantTypes, grants: [TokenExchangeGrant] })],
    [
      'made by a function',
      () => useConfig({ grantTypes, grants: [(services) => new TokenExchangeGrant(services)] }),
    ],
    [
      'registered with the server',
      async () => {
        const server = await useConfig({ grantTypes })
        server.grants.register(new TokenExchangeGrant(server)).assertEnabled()
      },
    ],
  ]

  for (const [title, add] of WAYS) {
    test(`works end to end when it is ${title}`, async ({ assert }) => {
      await add()
      const { visitor } = await signedIn()
      const { access_token: subject } = await obtainTokens(visitor, await registerClient())
      const service = await registerClient({ grantTypes: [IDENTIFIER] })
      const { status, body } = await postToken({
        grant_type: IDENTIFIER,
        subject_token: subject,
        ...credentials(service),
      })
      assert.equal(status, 200)
      assert.equal(body.scope, 'posts:read')
      assert.isTrue(await opens(body.access_token))

      const metadata = await new Visitor().get('/.well-known/oauth-authorization-server')
      const { grant_types_supported: supported } = (await metadata.json()) as any
      assert.include(supported, IDENTIFIER)
    })
  }

  test('is refused while it is not enabled', async ({ assert }) => {
    await useConfig({ grants: [TokenExchangeGrant] })
    const { body } = await postToken({ grant_type: IDENTIFIER })
    assert.equal(body.error, 'unsupported_grant_type')
  })

  test('an enabled grant that nobody added stops the start', async ({ assert }) => {
    const server = await useConfig({ grantTypes })
    assert.throws(() => server.grants.assertEnabled(), /unknown grant type "urn:/)
  })
})

test.group('The grant of docs/oauth.md', (group) => {
  group.each.setup(isolate)

  const identifier = 'urn:example:grant-type:badge'

  test('is the code that readers copy', async ({ assert }) => {
    const file = app.makePath('packages/starter/helpers/fixtures/badge_grant.ts')
    const codes = pageBlocks('docs/oauth.md').map(({ code }) => code)
    assert.include(codes, await readFile(file, 'utf8'))
  })

  test('gives tokens to the confidential clients that may use it', async ({ assert }) => {
    const { user } = await signedIn()
    class OneBadge extends BadgeGrant {
      override async userOf(badge: string) {
        return badge === '7' ? String(user.id) : null
      }
    }
    await useConfig({ grants: [OneBadge], grantTypes: ['authorization_code', identifier] })
    const ask = async (badge: string, client: Parameters<typeof registerClient>[0]) => {
      const fields = { grant_type: identifier, badge, scope: 'posts:read' }
      const { body } = await postToken({
        ...fields,
        ...credentials(await registerClient(client)),
      })
      return body
    }
    const reader = { grantTypes: [identifier], scopes: ['posts:read'] }
    const { access_token: token, scope } = await ask('7', reader)
    assert.equal(scope, 'posts:read')
    assert.isTrue(await opens(token))
    for (const [badge, client, error] of [
      ['8', reader, 'invalid_grant'],
      ['7', { ...reader, scopes: ['posts:write'] }, 'invalid_scope'],
      ['7', { ...reader, grantTypes: ['authorization_code'] }, 'unauthorized_client'],
      ['7', { ...reader, confidential: false }, 'unauthorized_client'],
    ] as const) {
      assert.equal((await ask(badge, client as typeof reader)).error, error)
    }
  })
})
