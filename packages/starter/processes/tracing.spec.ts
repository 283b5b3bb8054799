import { createServer } from 'node:http'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { obtainTokens, refreshing, registerClient } from '#starter/helpers/oauth'
import {
  type Cleanup,
  startServer,
  startTogether,
  stopServer,
} from '#starter/helpers/server_process'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: object
  events: object[]
  links: { traceId: string; spanId: string }[]
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A collector that takes OTLP over HTTP, and a server that sends to it. */
async function traced(cleanup: Cleanup, env: Record<string, string> = {}) {
  const bodies: any[] = []
  const collector = createServer((request, response) => {
    void json(request).then((body) => {
      bodies.push(body)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  cleanup(async () => void collector.close())
  const { port } = collector.address() as AddressInfo
  const url = await startServer(
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, ...env },
    { cleanup }
  )
  return { url, bodies }
}

/** Half of the traces, which their ids choose. */
const halved = (cleanup: Cleanup) => traced(cleanup, { OTEL_TRACES_SAMPLER_ARG: '0.5' })
const CHOSEN = '00000001'.padEnd(32, '0')
const NOT_CHOSEN = 'ffffffff'.padEnd(32, '0')
const callerOf = (traceId: string) => `00-${traceId}-${PARENT}-01`

/** A call of a tool whose `_meta` and headers are these. */
const callTool = (url: string, _meta: object, headers: Record<string, string>) =>
  new Visitor().post(`${url}/mcp`, {
    headers: { accept: 'application/json, text/event-stream', ...headers },
    json: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'search_posts', arguments: { query: 'a-word' }, _meta },
    },
  })

/** Without its tables the server is not ready. */
const untabled = (cleanup: Cleanup) => {
  const folder = app.tmpPath(`untabled_${process.pid}`)
  cleanup(() => rm(folder, { recursive: true, force: true }))
  return traced(cleanup, { DB_CONNECTION: 'sqlite', SQLITE_FILE: `${folder}/db.sqlite3` })
}

const spansOf = (bodies: any[]): Span[] =>
  bodies
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

test.group('Tracing', (group) => {
  const started = startTogether(group, { traced, halved, batched: halved, untabled })

  test('a sign-in, a rotation, a mail and a tool call leave spans without anything that was sent', async ({
    assert,
  }) => {
    const { url, bodies } = await started.traced
    const { user, visitor: approver } = await signedIn()
    const client = await registerClient()
    const tokens = await obtainTokens(approver, client)
    const { plainText } = await ApiToken.create(user, 'a-name', ['posts:read', 'mcp:use'])
    const visitor = new Visitor()
    const login = { email: user.email, password: FACTORY_PASSWORD }
    await visitor.post(`${url}/login?a-query=a-value`, { json: { ...login, password: 'hunter2' } })
    await visitor.send(`${url}/login`, login)
    const rotated = await visitor.post(`${url}/oauth/token`, {
      form: refreshing(client, tokens.refresh_token) as Record<string, string>,
    })
    assert.equal(rotated.status, 200)
    const refused = await visitor.post(`${url}/oauth/token`, {
      form: refreshing(client, 'a-value') as Record<string, string>,
    })
    assert.equal(refused.status, 400)
    const called = await callTool(
      url,
      { traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'secret=state' },
      { tracestate: 'secret=state', baggage: 'secret=baggage' }
    )
    assert.equal(called.status, 200)
    await visitor.post(`${url}/password/email`, { json: { email: user.email } })
    await visitor.get(`${url}/nowhere/a-path`)
    await stopServer(url)

    const spans = spansOf(bodies)
    const find = (name: string) => spans.filter((span) => span.name === name)
    const childrenOf = (parent: Span) =>
      spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
    const attribute = (span: Span, key: string) =>
      span.attributes.find((one) => one.key === key)?.value

    const logins = find('POST /login')
    assert.lengthOf(logins, 2)
    assert.deepEqual(attribute(logins[1]!, 'http.response.status_code'), { intValue: 200 })
    assert.includeMembers(
      childrenOf(logins[1]!).map(({ name }) => name),
      ['password hash', 'SELECT']
    )
    const [rotation, refusal] = find('oauth2 grant')
    assert.deepEqual(attribute(rotation!, 'oauth2.grant_type'), { stringValue: 'refresh_token' })
    assert.isAbove(childrenOf(rotation!).length, 2)
    assert.deepEqual(rotation!.status, { code: 0 })
    assert.deepEqual(refusal!.status, { code: 2 })
    assert.deepEqual(attribute(refusal!, 'error.type'), { stringValue: 'invalid_grant' })
    assert.isTrue(spans.every(({ events }) => events.length === 0))
    const kindsOf = (name: string) => new Set(find(name).map(({ kind }) => kind))
    assert.deepEqual(
      ['oauth2 grant', 'POST /login', 'SELECT', 'send mail'].map((name) => [...kindsOf(name)]),
      [[1], [2], [3], [3]]
    )
    const [call] = find('mcp tool search_posts')
    assert.equal(call!.traceId, TRACE)
    assert.equal(call!.parentSpanId, PARENT)
    assert.isNotEmpty(childrenOf(call!))
    const [request] = find('POST /mcp')
    assert.deepEqual(
      call!.links.map(({ traceId, spanId }) => [traceId, spanId]),
      [[request!.traceId, request!.spanId]]
    )
    const [mail] = find('send mail')
    assert.deepEqual(attribute(mail!, 'mail.mailer'), { stringValue: 'log' })
    assert.lengthOf(find('send mail'), 1)
    assert.lengthOf(find('GET unmatched'), 1)

    const sent = JSON.stringify(bodies)
    const secrets = [user.email, FACTORY_PASSWORD, 'hunter2', plainText, client.id, client.secret!]
    const unseen = [...secrets, tokens.access_token, tokens.refresh_token, 'secret=', 'a-name']
    for (const secret of [...unseen, 'a-query', 'a-value', 'a-path', 'a-word', '127.0.0.1']) {
      assert.notInclude(sent, secret)
    }
    assert.isFalse(spans.some(({ name }) => /[@?]/.test(name)))
  })

  test('a request that the server fails is a failed span, one that it refuses is none', async ({
    assert,
  }) => {
    const { url, bodies } = await started.untabled
    assert.equal((await new Visitor().get(`${url}/health/ready`)).status, 503)
    assert.equal((await new Visitor().get(`${url}/nowhere`)).status, 404)
    await stopServer(url)

    const statusOf = (name: string) => {
      const { status, attributes } = spansOf(bodies).find((span) => span.name === name)!
      const { value } = attributes.find(({ key }) => key === 'error.type') ?? {}
      return { status, value }
    }
    const failed = { status: { code: 2 }, value: { stringValue: '503' } }
    assert.deepEqual(statusOf('GET /health/ready'), failed)
    assert.deepEqual(statusOf('GET unmatched'), { status: { code: 0 }, value: undefined })
  })

  test('of a trace that is not chosen nothing is recorded, but for calls in it that name one that is', async ({
    assert,
  }) => {
    const { url, bodies } = await started.halved
    const get = (traceparent: string) =>
      new Visitor().get(`${url}/api/posts`, { headers: { traceparent } })
    const call = (around: string, named: string) =>
      callTool(url, { traceparent: callerOf(named) }, { traceparent: callerOf(around) })
    await get(callerOf(NOT_CHOSEN))
    await call(NOT_CHOSEN, CHOSEN)
    await call(CHOSEN, NOT_CHOSEN)
    await get(callerOf(CHOSEN))
    await stopServer(url)

    const spans = spansOf(bodies)
    assert.isEmpty(spans.filter(({ traceId }) => traceId === NOT_CHOSEN))
    const begun = spans.filter(({ parentSpanId }) => parentSpanId === PARENT)
    assert.deepEqual(
      begun.map(({ name }) => name),
      ['mcp tool search_posts', 'POST /mcp', 'GET /api/posts']
    )
    /* The second call's own work is not recorded with the request around it. */
    const within = (name: string) => {
      const { spanId } = begun.find((span) => span.name === name)!
      return spans.filter(({ parentSpanId }) => parentSpanId === spanId)
    }
    assert.isNotEmpty(within('mcp tool search_posts'))
    assert.isEmpty(within('POST /mcp').filter(({ name }) => name.startsWith('mcp')))
  })

  test('requests that commit together leave each the spans of its own work', async ({ assert }) => {
    const { url, bodies } = await started.batched
    const client = await registerClient({ confidential: true, grantTypes: ['client_credentials'] })
    const grant = async (traceId: string) => {
      const answer = await new Visitor().post(`${url}/oauth/token`, {
        form: {
          grant_type: 'client_credentials',
          client_id: client.id,
          client_secret: client.secret!,
        },
        headers: { traceparent: callerOf(traceId) },
      })
      assert.equal(answer.status, 200)
    }
    const traces = Array.from({ length: 12 }, (_, index) => `0000${index + 10}`.padEnd(32, '0'))
    await grant(NOT_CHOSEN)
    for (let round = 0; round < 5; round++) {
      await Promise.all(traces.flatMap((id) => [grant(id), grant(NOT_CHOSEN)]))
    }
    await stopServer(url)

    const counts = traces.map(
      (id) => spansOf(bodies).filter(({ traceId }) => traceId === id).length
    )
    assert.deepEqual([...new Set(counts)], [counts[0]])
    assert.isAbove(counts[0]!, 5)
  })
})
