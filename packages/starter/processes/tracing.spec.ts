import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'

import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { obtainTokens, refreshing, registerClient, signedIn } from '#starter/helpers/oauth'
import {
  type Cleanup,
  startServer,
  startTogether,
  stopServer,
} from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'

interface Span {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  status: { code?: number }
  attributes: { key: string; value: Record<string, unknown> }[]
}

/** A collector that takes OTLP over HTTP, and a server that sends to it. */
async function traced(cleanup: Cleanup) {
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
    { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    { cleanup }
  )
  return { url, bodies }
}

const spansOf = (bodies: any[]): Span[] =>
  bodies
    .flatMap(({ resourceSpans }) => resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

test.group('Tracing', (group) => {
  const started = startTogether(group, { traced })

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
    await visitor.post(`${url}/login`, { json: login, csrf: true })
    const rotated = await visitor.post(`${url}/oauth/token`, {
      form: refreshing(client, tokens.refresh_token) as Record<string, string>,
    })
    assert.equal(rotated.status, 200)
    const called = await new Visitor().post(`${url}/mcp`, {
      headers: {
        accept: 'application/json, text/event-stream',
        tracestate: 'secret=state',
        baggage: 'secret=baggage',
      },
      json: {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'search_posts',
          arguments: { query: 'a-word' },
          _meta: { traceparent: `00-${TRACE}-${PARENT}-00`, tracestate: 'secret=state' },
        },
      },
    })
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
    const [rotation] = find('oauth2 grant')
    assert.deepEqual(attribute(rotation!, 'oauth2.grant_type'), { stringValue: 'refresh_token' })
    assert.isAbove(childrenOf(rotation!).length, 2)
    const [call] = find('mcp tool search_posts')
    assert.equal(call!.traceId, TRACE)
    assert.equal(call!.parentSpanId, PARENT)
    assert.isNotEmpty(childrenOf(call!))
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
})
