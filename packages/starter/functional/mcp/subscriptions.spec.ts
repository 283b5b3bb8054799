import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import { test } from '@japa/runner'

import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { connectAs, SDKS } from '#starter/helpers/mcp_client'
import { legacy, meta, mirror, modern } from '#starter/helpers/mcp_wire'
import { openStream, openSubscriptions, subscribe, until } from '#starter/helpers/mcp_subscriptions'
import { limit } from '#starter/helpers/limits'
import { isolate } from '#starter/helpers/oauth'
import { Resource } from '#kit/mcp/primitives'
import { Server } from '#kit/mcp/server'
import { resourceUpdated, subscriberOf } from '#kit/mcp/subscriptions/subscriptions'

const LATEST = 'blog://posts/latest'
const PATH = '/mcp/news'

class News extends Resource {
  static override uri = 'news://{topic}'
  static override name = 'news'
  static override subscribable = true
  read = () => 'News'
}

class Secret extends Resource {
  static override uri = 'secret://plan'
  static override name = 'secret'
  static override subscribable = true
  static override scopes = ['posts:write'] as const
  read = () => 'Secret'
}

class Fixed extends Resource {
  static override uri = 'fixed://text'
  static override name = 'fixed'
  read = () => 'Fixed'
}

class NewsServer extends Server {
  static override name = 'news'
  static override resources = () => [News, Secret, Fixed]
}

NewsServer.router(PATH)

const listen = (uris: string[], path = PATH) => {
  const params = { _meta: meta(), notifications: { resourceSubscriptions: uris } }
  const message = { jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }
  return openStream(path, message, mirror('subscriptions/listen'))
}

type Subscriber = { caller: { id: string; person?: string } | null; session: string; ip?: string }

function subscriber({ caller, session, ip = '192.0.2.1' }: Subscriber) {
  const ctx = { request: { ip: () => ip } }
  const definition = { info: NewsServer }
  return subscriberOf({ caller, header: () => session, definition, ctx } as any)
}

test.group('MCP subscriptions', (group) => {
  group.each.setup(isolate)
  group.each.teardown(() => until(0))

  test('{name}: a client is told of a change of a resource, until it has had enough')
    .with(SDKS)
    .run(async ({ assert }, sdk) => {
      const user = await UserFactory.create()
      const client = await connectAs(sdk, user, { scopes: ['mcp:use'] })
      assert.isTrue(client.getServerCapabilities()!.resources!.subscribe)
      const subscription = await subscribe(client, LATEST)
      await until(1)
      const told = subscription.next()
      await PostFactory.merge({ userId: user.id }).create()
      await told
      assert.deepEqual([...new Set(subscription.uris)], [LATEST])

      await subscription.end()
      await until(0)
      const { length } = subscription.uris
      await resourceUpdated(LATEST)
      assert.lengthOf(subscription.uris, length)
      await client.close()
    })

  test('a stream begins with what it grants, names its request and ends with a result', async ({
    assert,
  }) => {
    const stream = await listen(['news://sports', 'fixed://text', 'nope://x'])
    const about = { 'io.modelcontextprotocol/subscriptionId': 7 }
    assert.deepEqual(await stream.next(), {
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: about, notifications: { resourceSubscriptions: ['news://sports'] } },
    })
    await resourceUpdated('news://arts')
    await resourceUpdated('news://sports')
    assert.deepEqual(await stream.next(), {
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { _meta: about, uri: 'news://sports' },
    })
    const subscriptions = await openSubscriptions()
    subscriptions.stop()
    const { id, result } = await stream.next()
    assert.equal(id, 7)
    assert.containsSubset(result, { resultType: 'complete', _meta: about })
    assert.isNull(await stream.next())
  })

  test('a change in a transaction is told when it is committed', async ({ assert }) => {
    const stream = await listen(['news://a', 'news://b'])
    await stream.next()
    const { default: db } = await import('@adonisjs/lucid/services/db')
    const transaction = await db.transaction()
    await resourceUpdated('news://a', transaction)
    await transaction.rollback()
    await resourceUpdated('news://b')
    assert.equal((await stream.next()).params.uri, 'news://b')
    stream.close()
  })

  test('a change succeeds where nobody can be told of it, and the log says so', async ({
    assert,
    cleanup,
  }) => {
    const { signals } = (await app.container.make('mcp')).subscriptions
    const { publish } = signals
    const warn = mock.method(logger, 'warn', () => {})
    cleanup(() => {
      signals.publish = publish
      warn.mock.restore()
    })
    signals.publish = () => Promise.reject(new Error('away'))
    await assert.doesNotReject(() => resourceUpdated('news://a'))
    const [, words] = warn.mock.calls[0]!.arguments as unknown[]
    assert.equal(words, 'Subscribed MCP clients are not told of an update')
  })

  test('{$self} is refused without the scopes of the resource, before a stream opens')
    .with(['2025-11-25', '2026-07-28'] as const)
    .run(async ({ assert }, version) => {
      const reply =
        version === '2026-07-28'
          ? await modern(PATH, 'subscriptions/listen', {
              _meta: meta(),
              notifications: { resourceSubscriptions: ['secret://plan'] },
            })
          : await legacy(
              PATH,
              'resources/subscribe',
              { uri: 'secret://plan' },
              { accept: 'application/json, text/event-stream' }
            )
      assert.equal(reply.status, 401)
    })

  test('what cannot be subscribed to is an error for older clients', async ({ assert }) => {
    const accept = { accept: 'application/json, text/event-stream' }
    for (const uri of ['fixed://text', 'nope://x']) {
      const { body } = await legacy(PATH, 'resources/subscribe', { uri }, accept)
      assert.equal(body.error.code, -32002)
    }
    const { body } = await legacy(PATH, 'resources/subscribe', { uri: 'news://a' })
    assert.include(body.error.message, 'text/event-stream')
  })

  test('those that were opened count as calls', async ({ assert, cleanup }) => {
    await limit({ anonymousMcpCalls: { perAddress: { attempts: 1, seconds: 60 } } })
    const first = await listen(['news://a'])
    cleanup(() => first.close())
    assert.equal(first.response.status, 200)
    const second = await listen(['news://a'])
    cleanup(() => second.close())
    assert.equal(second.response.status, 429)
  })

  test('a caller has twenty streams at most, and another one its own', async ({ assert }) => {
    const subscribeAs = (session: string) =>
      openStream(
        PATH,
        { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'news://a' } },
        { 'accept': 'application/json, text/event-stream', 'mcp-session-id': session }
      )
    const streams = []
    for (let count = 0; count < 20; count++) {
      streams.push(await subscribeAs('one'))
    }
    const refused = await subscribeAs('one')
    assert.equal(refused.response.status, 429)
    await refused.response.body?.cancel().catch(() => {})
    const other = await subscribeAs('two')
    assert.deepEqual(await other.next(), { jsonrpc: '2.0', id: 1, result: {} })
    streams.concat(other).forEach(({ close }) => close())
  })

  test('those who have not signed in leave room for those who have, one address for others, and a person with any number of clients, too', async ({
    assert,
  }) => {
    const { Subscriptions } = await import('#kit/mcp/subscriptions/subscriptions')
    const subscriptions = new Subscriptions()
    const abort = new AbortController()
    const call = { ctx: {}, signal: () => abort.signal } as any
    const held: Promise<unknown>[] = []
    const open = (guest: string | null, person: string | null = null) => {
      const ready = Promise.withResolvers<void>()
      const subject = `${held.length}`
      const stream = { subject, guest, person, uris: [], updated: () => true }
      const ended = subscriptions.hold(call, stream, ready.resolve)
      held.push(ended.catch(() => {}))
      return Promise.race([ready.promise, ended])
    }
    await Promise.all(Array.from({ length: 100 }, () => open('one')))
    await assert.rejects(() => open('one'), 'Too many subscriptions are open')
    await Promise.all(Array.from({ length: 400 }, (_, index) => open(`other ${index % 4}`)))
    await assert.rejects(() => open('new'), 'Too many subscriptions are open')
    await Promise.all(Array.from({ length: 100 }, () => open(null, 'ann')))
    await assert.rejects(() => open(null, 'ann'), 'Too many subscriptions are open')
    await Promise.all(Array.from({ length: 400 }, (_, index) => open(null, `${index}`)))
    await assert.rejects(() => open(null, 'last'), 'Too many subscriptions are open')
    abort.abort()
    await Promise.all(held)
    assert.equal(subscriptions.size, 0)
  })

  test('a session that is named like a caller is not that caller', ({ assert }) => {
    const by = (caller: { id: string } | null) => subscriber({ caller, session: 'x' }).subject
    assert.notEqual(by({ id: 'x' }), by(null))
  })

  test('sessions of one address are of one address, and those of one IPv6 network', ({
    assert,
  }) => {
    const at = (session: string, ip: string) => subscriber({ caller: null, session, ip }).guest
    assert.equal(at('one', '192.0.2.1'), at('two', '192.0.2.1'))
    assert.equal(at('one', '2001:db8::1'), at('two', '2001:db8::2'))
    assert.notEqual(at('one', '192.0.2.1'), at('one', '192.0.2.2'))
    assert.isNull(subscriber({ caller: { id: 'x' }, session: 'one' }).guest)
  })

  test('all clients of a person are of one person', ({ assert }) => {
    const of = (id: string, person?: string) =>
      subscriber({ caller: { id, ...(person && { person }) }, session: 'x' })
    assert.notEqual(of('one', 'ann').subject, of('two', 'ann').subject)
    assert.equal(of('one', 'ann').person, of('two', 'ann').person)
    assert.notEqual(of('one').person, of('two').person)
  })

  test('nobody ends the subscription of another session', async ({ assert }) => {
    const uri = 'news://a'
    const stream = await openStream(
      PATH,
      { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri } },
      { 'accept': 'application/json, text/event-stream', 'mcp-session-id': 'mine' }
    )
    await stream.next()
    for (const headers of [{ 'mcp-session-id': 'theirs' }, {}] as Record<string, string>[]) {
      await legacy(PATH, 'resources/unsubscribe', { uri }, headers)
    }
    await resourceUpdated(uri)
    assert.equal((await stream.next()).params.uri, uri)
    await legacy(PATH, 'resources/unsubscribe', { uri }, { 'mcp-session-id': 'mine' })
    assert.isNull(await stream.next())
  })

  test('a slow reader gets what changed meanwhile once, when it reads on', async ({ assert }) => {
    const { Subscriptions } = await import('#kit/mcp/subscriptions/subscriptions')
    const subscriptions = new Subscriptions()
    subscriptions.recheck = 5
    const sent: string[] = []
    let isSlow = true
    const abort = new AbortController()
    const ready = Promise.withResolvers<void>()
    const told = Promise.withResolvers<void>()
    const updated = (uri: string) => {
      if (!isSlow) {
        sent.push(uri)
        told.resolve()
      }
      return !isSlow
    }
    const call = { ctx: {}, signal: () => abort.signal } as any
    const stream = { subject: 'x', guest: 'here', person: null, uris: ['news://a'], updated }
    const held = subscriptions.hold(call, stream, ready.resolve).catch(() => {})
    await ready.promise
    for (let count = 0; count < 5; count++) {
      await subscriptions.signals.publish('updated news://a')
    }
    assert.isEmpty(sent)
    isSlow = false
    await told.promise
    abort.abort()
    await held
    assert.deepEqual(sent, ['news://a'])
  })

  test('what is no list of at most a hundred URIs is refused', async ({ assert }) => {
    const many = Array.from({ length: 101 }, (_, index) => `news://${index}`)
    for (const wanted of ['news://a', [7], many]) {
      const params = { _meta: meta(), notifications: { resourceSubscriptions: wanted } }
      const { body } = await modern(PATH, 'subscriptions/listen', params)
      assert.equal(body.error.code, -32602)
    }
  })
})
