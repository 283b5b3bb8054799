import { Emitter } from '@adonisjs/core/events'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { PasswordHasher } from '#kit/auth/password_hasher'
import { Purges } from '#kit/database/purges'
import { defineConfig } from '#kit/metrics/define_config'
import { Metrics, listen, watchHashes, watchPurges } from '#kit/metrics/metrics'
import { replaceForTest } from '#starter/helpers/replace'

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

const SIGN_INS = 'auth_sign_ins_total'
const TOKENS = 'auth_tokens_issued_total'
const REFUSALS = 'auth_refusals_total'
const REFUSAL = { error: 'invalid_token', reason: 'expired' }

/** A manager whose current session was begun by this login. */
const managerWith = (login: { methods: string[] } | null): any => ({
  feature: (name: string) => (name === 'sessions' ? { currentLogin: () => login } : undefined),
})

/** The values of one metric, by its labels. */
async function valuesOf(metrics: Metrics, name: string) {
  const { values } = await metrics.registry.getSingleMetric(name)!.get()
  return values.map(({ labels, value }) => [labels, value])
}

test.group('Metrics', () => {
  test('{name} is told by {labels}')
    .with([
      { name: 'http_requests_total', labels: ['method', 'route', 'status'] },
      { name: 'http_request_duration_seconds', labels: ['method', 'route'], buckets: BUCKETS },
      { name: 'auth_sign_ins_total', labels: ['way', 'outcome'] },
      { name: 'auth_tokens_issued_total', labels: ['grant'] },
      { name: 'auth_refusals_total', labels: ['by', 'error', 'reason'] },
      { name: 'auth_security_events_total', labels: ['type'] },
      { name: 'oauth2_reuse_detected_total', labels: ['kind'] },
      {
        name: 'mcp_call_duration_seconds',
        labels: ['server', 'kind', 'outcome'],
        buckets: BUCKETS,
      },
      { name: 'purge_deleted_rows_total', labels: ['purge'] },
      { name: 'purge_failures_total', labels: ['purge'] },
      { name: 'purge_last_success_timestamp_seconds', labels: ['purge'] },
    ] as { name: string; labels: string[]; buckets?: number[] }[])
    .run(({ assert }, { name, labels, buckets }) => {
      const metric = new Metrics().registry.getSingleMetric(name) as any
      assert.deepEqual(metric.labelNames, labels)
      assert.deepEqual(metric.upperBounds, buckets)
    })

  test('a process tells what Node.js does, too', async ({ assert }) => {
    const names = new Metrics().registry.getMetricsAsArray().map(({ name }) => name)
    assert.includeMembers(names, ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds'])
  })

  test('a request counts under the pattern of its route, or as unmatched', async ({ assert }) => {
    const metrics = new Metrics()
    const ctx = new HttpContextFactory().create()
    ctx.request.request.method = 'GET'
    metrics.request(ctx, 1500)
    ctx.route = { pattern: '/posts/:id' } as any
    Object.defineProperty(ctx.response.response, 'writableFinished', { value: true })
    ctx.response.response.statusCode = 201
    metrics.request(ctx, 20)
    assert.deepEqual(await valuesOf(metrics, 'http_requests_total'), [
      [{ method: 'GET', route: 'unmatched', status: 'aborted' }, 1],
      [{ method: 'GET', route: '/posts/:id', status: 201 }, 1],
    ])
    const { values } = await metrics.durations.get()
    const sums = values.filter(({ metricName }) => metricName!.endsWith('_sum'))
    assert.deepEqual(
      sums.map(({ value }) => value),
      [1.5, 0.02]
    )
  })

  test('of the reasons of refusals two hundred have their name, without details', async ({
    assert,
  }) => {
    const metrics = new Metrics()
    const refuse = (reason: string) =>
      metrics.refused('api', { error: 'invalid_token', reason } as any)
    for (let reason = 0; reason < 202; reason++) refuse(`reason ${reason}: a detail`)
    refuse('reason 0: another detail')
    const values = await valuesOf(metrics, 'auth_refusals_total')
    const labels = (reason: string) => ({ by: 'api', error: 'invalid_token', reason })
    assert.lengthOf(values, 201)
    assert.deepEqual(values[0], [labels('reason 0'), 2])
    assert.deepEqual(values[199], [labels('reason 199'), 1])
    assert.deepEqual(values[200], [labels('other'), 2])
  })

  test('a gauge is asked when somebody reads, and forgets what it said before', async ({
    assert,
  }) => {
    const metrics = new Metrics()
    let state = 'busy'
    metrics.ask('pool', 'Connections', ['state'], () => [[{ state }, 3]])
    assert.deepEqual(await valuesOf(metrics, 'pool'), [[{ state: 'busy' }, 3]])
    state = 'free'
    assert.deepEqual(await valuesOf(metrics, 'pool'), [[{ state: 'free' }, 3]])
  })

  test('{event} is counted in {name}')
    .with([
      { event: 'auth:login', name: SIGN_INS, labels: { way: 'pwd+otp', outcome: 'success' } },
      { event: 'auth:login_failed', name: SIGN_INS, labels: { way: 'pwd', outcome: 'failure' } },
      { event: 'two_factor:failed', name: SIGN_INS, labels: { way: 'mfa', outcome: 'failure' } },
      { event: 'passkeys:refused', name: SIGN_INS, labels: { way: 'passkey', outcome: 'failure' } },
      { event: 'auth:refused', name: REFUSALS, labels: { by: 'route', ...REFUSAL } },
      { event: 'oauth2:refused', name: REFUSALS, labels: { by: 'oauth2', ...REFUSAL } },
      { event: 'oauth2:token_issued', name: TOKENS, labels: { grant: 'device_code' } },
      { event: 'oauth2:token_refreshed', name: TOKENS, labels: { grant: 'refresh_token' } },
      { event: 'api_token:created', name: TOKENS, labels: { grant: 'api_token' } },
      {
        event: 'oauth2:reuse_detected',
        name: 'oauth2_reuse_detected_total',
        labels: { kind: 'code' },
      },
      {
        event: 'auth:security_event',
        name: 'auth_security_events_total',
        labels: { type: 'signed_in' },
      },
    ])
    .run(async ({ assert }, { event, name, labels }) => {
      const metrics = new Metrics()
      const emitter = new Emitter<any>(app)
      listen(metrics, emitter, managerWith({ methods: ['pwd', 'otp'] }))
      await emitter.emit(event, {
        ...REFUSAL,
        grantType: 'device_code',
        kind: 'code',
        type: 'signed_in',
      })
      const counted = (await valuesOf(metrics, name)).filter(([, value]) => value)
      assert.deepEqual(counted, [[labels, 1]])
    })

  test('reuse is counted from 0: to Prometheus a series that begins at 1 has no increase', async ({
    assert,
  }) => {
    const metrics = new Metrics()
    listen(metrics, new Emitter<any>(app), managerWith(null))
    assert.deepEqual(await valuesOf(metrics, 'oauth2_reuse_detected_total'), [
      [{ kind: 'authorization_code' }, 0],
      [{ kind: 'refresh_token' }, 0],
    ])
  })

  test('the way of a sign-in without a session is unknown', async ({ assert }) => {
    const metrics = new Metrics()
    const emitter = new Emitter<any>(app)
    listen(metrics, emitter, managerWith(null))
    await emitter.emit('auth:login', {})
    const labels = { way: 'unknown', outcome: 'success' }
    assert.deepEqual(await valuesOf(metrics, 'auth_sign_ins_total'), [[labels, 1]])
  })

  test('a call of MCP takes its seconds, by what became of it', async ({ assert }) => {
    const metrics = new Metrics()
    const emitter = new Emitter<any>(app)
    listen(metrics, emitter, managerWith(null))
    for (const [index, outcome] of ['called', 'failed', 'refused'].entries()) {
      await emitter.emit(`mcp:${outcome}`, { server: 'blog', milliseconds: 1000 * (index + 1) })
    }
    await emitter.emit('mcp:called', { server: 'blog', kind: 'tool', milliseconds: 4000 })
    const { values } = await metrics.mcpCalls.get()
    assert.deepEqual(
      values
        .filter(({ metricName }) => metricName!.endsWith('_sum'))
        .map(({ labels, value }) => [labels.kind, labels.outcome, value]),
      [
        ['none', 'called', 1],
        ['none', 'failed', 2],
        ['none', 'refused', 3],
        ['tool', 'called', 4],
      ]
    )
  })

  test('a purge tells how much it deleted and when, or that it failed', async ({ assert }) => {
    const metrics = new Metrics()
    const purges = new Purges()
    watchPurges(metrics, purges)
    purges.ended('codes', 3)
    purges.ended('codes', 4)
    purges.ended('tokens', null)
    assert.deepEqual(await valuesOf(metrics, 'purge_deleted_rows_total'), [[{ purge: 'codes' }, 7]])
    assert.deepEqual(await valuesOf(metrics, 'purge_failures_total'), [
      [{ purge: 'codes' }, 0],
      [{ purge: 'tokens' }, 1],
    ])
    const [[labels, seconds]] = (await valuesOf(
      metrics,
      'purge_last_success_timestamp_seconds'
    )) as any
    assert.deepEqual(labels, { purge: 'codes' })
    assert.approximately(seconds, Date.now() / 1000, 60)
  })

  test('the passwords that are hashed, and those that wait, can be read', async ({ assert }) => {
    const metrics = new Metrics()
    watchHashes(metrics)
    const read = async () =>
      (await valuesOf(metrics, 'auth_password_hashes')).map(([, value]) => value)
    replaceForTest(PasswordHasher, 'latest', { queue: { running: 2, waiting: 5 } } as any)
    assert.deepEqual(await read(), [2, 5])
    PasswordHasher.latest = null
    assert.deepEqual(await read(), [0, 0])
  })

  test('the token of readers has 32 characters or more', ({ assert }) => {
    assert.isNull(defineConfig().token)
    assert.isNull(defineConfig({ token: '' }).token)
    assert.equal(defineConfig({ token: 'x'.repeat(32) }).token!.release(), 'x'.repeat(32))
    assert.throws(
      () => defineConfig({ token: 'x'.repeat(31) }),
      /^MetricsConfig: "token" must have 32 characters or more/
    )
  })
})
