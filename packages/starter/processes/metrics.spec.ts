import { test } from '@japa/runner'
// @ts-expect-error it has no types
import parse from 'parse-prometheus-text-format'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { registerClient } from '#starter/helpers/oauth'
import { startServer, startTogether } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const TOKEN = 'a-token-of-prometheus-for-these-tests'

interface Sample {
  labels?: Record<string, string>
  value?: string
}

/** What Prometheus would read. */
class Scrape {
  private constructor(readonly text: string) {}

  static async of(url: string): Promise<Scrape> {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${url}/metrics`, { headers })
    return new Scrape(await response.text())
  }

  get families(): { name: string; metrics: Sample[] }[] {
    return parse(this.text)
  }

  /** The value of the one sample with these labels. */
  value(name: string, labels: Record<string, string> = {}): number {
    const found = this.families.find((family) => family.name === name)?.metrics ?? []
    const sample = found.find((one) =>
      Object.entries(labels).every(([label, value]) => one.labels?.[label] === value)
    )
    return Number(sample?.value ?? 0)
  }
}

test.group('Metrics', (group) => {
  const started = startTogether(group, {
    on: (cleanup) => startServer({ METRICS_TOKEN: TOKEN }, { cleanup }),
    off: (cleanup) => startServer({ METRICS_TOKEN: '' }, { cleanup }),
  })

  test('are not there without a token of the operator', async ({ assert }) => {
    const url = await started.off
    const headers = { authorization: 'Bearer ' }
    assert.equal((await fetch(`${url}/metrics`, { headers })).status, 404)
  })

  test('strangers are refused, with any token but the right one', async ({ assert }) => {
    const url = await started.on
    for (const authorization of [undefined, '', 'Bearer', 'Bearer x', `Basic ${TOKEN}`, TOKEN]) {
      const headers = authorization === undefined ? undefined : { authorization }
      const response = await fetch(`${url}/metrics`, { headers })
      assert.equal(response.status, 401, authorization)
      assert.notInclude(await response.text(), 'http_requests_total')
    }
  })

  test('are text of Prometheus that no cache keeps', async ({ assert }) => {
    const headers = { authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${await started.on}/metrics`, { headers })
    assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
  })

  test('count requests, sign-ins, tokens and refusals', async ({ assert }) => {
    const url = await started.on
    const user = await UserFactory.create()
    const visitor = new Visitor()
    await visitor.post(`${url}/login`, { json: { email: user.email, password: 'wrong' } })
    const login = await visitor.send(`${url}/login`, {
      email: user.email,
      password: FACTORY_PASSWORD,
    })
    assert.equal(login.status, 200)
    await visitor.send(`${url}/api/tokens`, { name: 'x', abilities: ['posts:read'] })
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    const form = { grant_type: 'client_credentials', client_id: client.id }
    await visitor.post(`${url}/oauth/token`, { form: { ...form, client_secret: client.secret! } })
    await visitor.post(`${url}/oauth/token`, { form: { ...form, client_secret: 'wrong' } })
    await visitor.get(`${url}/nowhere/1?page=1`)
    await visitor.get(`${url}/nowhere/2`)

    const scrape = await Scrape.of(url)
    const route = '/login'
    assert.equal(scrape.value('http_requests_total', { method: 'POST', route, status: '200' }), 1)
    /* The parser reads one histogram of a family. */
    const durations = 'http_request_duration_seconds_count{method="POST",route="/login"} 2'
    assert.include(scrape.text, durations)
    assert.equal(scrape.value('http_requests_total', { route: 'unmatched', status: '404' }), 2)
    assert.equal(scrape.value('auth_sign_ins_total', { way: 'pwd', outcome: 'success' }), 1)
    assert.equal(scrape.value('auth_sign_ins_total', { way: 'pwd', outcome: 'failure' }), 1)
    assert.equal(scrape.value('auth_tokens_issued_total', { grant: 'api_token' }), 1)
    assert.equal(scrape.value('auth_tokens_issued_total', { grant: 'client_credentials' }), 1)
    assert.equal(scrape.value('auth_refusals_total', { by: 'oauth2', error: 'invalid_client' }), 1)
    assert.equal(scrape.value('auth_security_events_total', { type: 'signed_in' }), 1)
    assert.isAbove(scrape.value('nodejs_eventloop_lag_p99_seconds'), 0)
    assert.equal(scrape.value('auth_password_hashes', { state: 'waiting' }), 0)
    const names = scrape.families.map(({ name }) => name)
    assert.includeMembers(names, ['db_pool_connections', 'purge_deleted_rows_total'])
    assert.isAtLeast(
      scrape.value('db_pool_connections', { state: 'free' }) +
        scrape.value('db_pool_connections', { state: 'used' }),
      1
    )
  })

  test('hold nothing that a caller has sent, and no address, id or token', async ({ assert }) => {
    const url = await started.on
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, 'a-name', ['posts:read', 'mcp:use'])
    const secrets = [plainText, user.email, 'hunter2', 'a-query', 'a-tool', 'a-name']
    const client = await registerClient({ grantTypes: ['client_credentials'] })
    const headers = { authorization: `Bearer ${plainText}` }
    const visitor = new Visitor()
    await visitor.post(`${url}/login`, { json: { email: user.email, password: 'hunter2' } })
    await visitor.get(`${url}/api/posts/77007700?include=a-query`, { headers })
    await visitor.get(`${url}/password/reset?token=hunter2`)
    await visitor.get(`${url}/hunter2/a-query`)
    await visitor.request('POST', `${url}/oauth/token`, {
      form: { grant_type: 'hunter2', client_id: client.id, client_secret: 'hunter2' },
    })
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a-tool' } }
    await visitor.post(`${url}/mcp`, {
      json: call,
      headers: { ...headers, accept: 'application/json, text/event-stream' },
    })
    const { text, families } = await Scrape.of(url)
    const labels = families
      .flatMap(({ metrics }) => metrics)
      .flatMap((sample) => Object.values(sample.labels ?? {}))
    for (const secret of [...secrets, client.id, '77007700', '127.0.0.1', '::1', TOKEN]) {
      assert.notInclude(text, secret)
    }
    assert.isAbove(labels.length, 30)
    labels.forEach((label) => assert.notMatch(label, /[@?]/))
  })

  test('a short token stops the start', async ({ assert }) => {
    let output = ''
    const onError = (text: string) => (output += text)
    const start = startServer({ METRICS_TOKEN: 'short' }, { onError, onOutput: onError })
    await assert.rejects(() => start)
    assert.include(output, '"token" must have 32 characters or more')
  })
})
