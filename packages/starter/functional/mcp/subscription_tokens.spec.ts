import { mock } from 'node:test'

import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { UserFactory } from '#database/factories/user_factory'
import OauthAccessToken from '#models/oauth_access_token'
import { ApiToken } from '#kit/api_token/facade'
import { Authenticator } from '#kit/auth/authenticator'
import { Resource } from '#kit/mcp/primitives'
import { Server } from '#kit/mcp/server'
import { resourceUpdated } from '#kit/mcp/subscriptions/subscriptions'
import { createKey, createProof, obtainBound, useDpop } from '#starter/helpers/dpop'
import { connectAs, SDKS } from '#starter/helpers/mcp_client'
import { openStream, openSubscriptions, subscribe, until } from '#starter/helpers/mcp_subscriptions'
import { meta, mirror } from '#starter/helpers/mcp_wire'
import { isolate, registerClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { recordStatements } from '#starter/helpers/statements'
import { signedIn } from '#starter/helpers/visitor'

const PATH = '/mcp/wire'
const URI = 'wire://news'

class Wire extends Resource {
  static override uri = URI
  static override name = 'wire'
  static override subscribable = true
  read = () => 'News'
}

class WireServer extends Server {
  static override name = 'wire'
  static override resources = () => [Wire]
}

WireServer.router(PATH).protect({ scopes: ['mcp:use'], guards: ['api'] })

/** Credentials of a kind of token, and what ends it. */
const TOKENS = {
  'an access token bound to a key': {
    table: 'oauth_access_tokens',
    async create() {
      await useDpop()
      const { user, visitor } = await signedIn()
      const key = await createKey()
      const more = { resource: `${appUrl}${PATH}`, scope: 'mcp:use' }
      const { body } = await obtainBound(visitor, await registerClient(), key, more)
      const token: string = body.access_token
      const dpop = await createProof(key, { url: await serverUrl(PATH), token })
      return { headers: { authorization: `DPoP ${token}`, dpop }, revoke: () => revokeAllOf(user) }
    },
  },
  'an API token': {
    table: 'personal_api_tokens',
    async create() {
      const user = await UserFactory.create()
      const { plainText } = await ApiToken.create(user, { abilities: ['mcp:use'] })
      return {
        headers: { authorization: `Bearer ${plainText}` },
        revoke: () => ApiToken.revokeAll(user),
      }
    },
  },
}

const MESSAGES = {
  'subscriptions/listen': {
    params: { _meta: meta(), notifications: { resourceSubscriptions: [URI] } },
    headers: mirror('subscriptions/listen'),
  },
  'resources/subscribe': {
    params: { uri: URI },
    headers: { accept: 'application/json, text/event-stream' },
  },
}

const revokeAllOf = ({ id }: { id: number }) =>
  OauthAccessToken.query().where('userId', String(id)).update({ revokedAt: Date.now() })

test.group('MCP subscriptions | Tokens', (group) => {
  group.each.setup(isolate)
  group.each.setup(async () => {
    const subscriptions = await openSubscriptions()
    const { recheck } = subscriptions
    subscriptions.recheck = 20
    return () => void (subscriptions.recheck = recheck)
  })
  group.each.teardown(() => until(0))

  test('{name}: a stream ends with the token that opened it')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      const client = await connectAs(sdk, user, { scopes: ['mcp:use'] })
      const { closed } = await subscribe(client, 'blog://posts/latest')
      await until(1)
      await revokeAllOf(user)
      await until(0)
      if (closed) {
        assert.equal(await closed, 'graceful')
      }
      await client.close()
    })

  const KINDS = Object.keys(TOKENS) as (keyof typeof TOKENS)[]
  const METHODS = Object.keys(MESSAGES) as (keyof typeof MESSAGES)[]

  test('{method}: a stream that {kind} opened goes on as long as the token does')
    .with(KINDS.flatMap((kind) => METHODS.map((method) => ({ kind, method }))))
    .run(async ({ assert }, { kind, method }) => {
      const { table, create } = TOKENS[kind]
      const { headers, revoke } = await create()
      const { params, headers: own } = MESSAGES[method]
      const message = { jsonrpc: '2.0', id: 1, method, params }
      const stream = await openStream(PATH, message, { ...own, ...headers })
      await stream.next()
      await until(1)

      const looks = Promise.withResolvers<void>()
      let count = 0
      const hear = (sql: string) => sql.includes(table) && ++count === 3 && looks.resolve()
      await recordStatements(() => looks.promise, hear)
      await resourceUpdated(URI)
      assert.equal((await stream.next()).params.uri, URI)

      await revoke()
      await until(0)
      const last = await stream.next()
      assert.isTrue(last === null || last.result.resultType === 'complete')
    })

  test('{$self}: a stream whose token cannot be looked up ends without a second response')
    .with(METHODS)
    .run(async ({ assert, cleanup }, method) => {
      const { headers } = await TOKENS['an API token'].create()
      const { params, headers: own } = MESSAGES[method]
      const message = { jsonrpc: '2.0', id: 1, method, params }
      const stream = await openStream(PATH, message, { ...own, ...headers })
      await stream.next()
      const away = () => Promise.reject(new Error('Connection terminated unexpectedly'))
      const { mock: look } = mock.method(Authenticator.prototype, 'isStillValid', away)
      cleanup(() => look.restore())
      await until(0)
      const last = await stream.next()
      const isLegacy = method === 'resources/subscribe'
      assert.equal(last && last.result.resultType, isLegacy ? null : 'complete')
    })
})
