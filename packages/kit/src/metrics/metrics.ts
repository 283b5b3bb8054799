import type { Emitter } from '@adonisjs/core/events'
import type { HttpContext } from '@adonisjs/core/http'
import type { EventsList } from '@adonisjs/core/types'
import type { Database } from '@adonisjs/lucid/database'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

import type { AuthManager } from '#auth/manager'
import { PasswordHasher } from '#auth/password_hasher'
import type { Purges } from '#database/purges'
import { endOf } from '#http/access_log'

/** Seconds, about as a person feels them. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Values of a label that operators do not choose; those after them are `other`. */
const MOST_VALUES = 200

/**
 * What this process has done, as Prometheus reads it. Labels are route patterns, fixed
 * words and names of the configuration: nothing that a caller has sent.
 */
export class Metrics {
  readonly registry = new Registry()
  readonly #reasons = new Set<string>()

  readonly requests = this.#counter('http_requests_total', 'Requests that have ended', [
    'method',
    'route',
    'status',
  ])

  readonly durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers: [this.registry],
  })

  readonly signIns = this.#counter('auth_sign_ins_total', 'Sign-ins by way (RFC 8176)', [
    'way',
    'outcome',
  ])

  readonly tokens = this.#counter('auth_tokens_issued_total', 'Tokens issued', ['grant'])

  readonly refusals = this.#counter('auth_refusals_total', 'Requests that were refused', [
    'by',
    'error',
    'reason',
  ])

  readonly securityEvents = this.#counter(
    'auth_security_events_total',
    'What happened to the security of accounts',
    ['type']
  )

  readonly reuse = this.#counter(
    'oauth2_reuse_detected_total',
    'Codes and refresh tokens that were presented twice',
    ['kind']
  )

  readonly mcpCalls = new Histogram({
    name: 'mcp_call_duration_seconds',
    help: 'Calls of MCP servers',
    labelNames: ['server', 'kind', 'outcome'],
    buckets: SECONDS,
    registers: [this.registry],
  })

  readonly purged = this.#counter('purge_deleted_rows_total', 'Expired rows deleted', ['purge'])

  readonly purgeFailures = this.#counter('purge_failures_total', 'Purges that failed', ['purge'])

  readonly lastPurges = this.#gauge(
    'purge_last_success_timestamp_seconds',
    'When a purge last ended well',
    ['purge']
  )

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }

  /** A gauge whose values are asked for when somebody reads. */
  ask(name: string, help: string, labels: string[], read: () => [object, number][]): void {
    const gauge = this.#gauge(name, help, labels, () => {
      gauge.reset()
      read().forEach(([values, value]) => gauge.set(values, value))
    })
  }

  request(ctx: HttpContext, milliseconds: number): void {
    const method = ctx.request.method()
    const route = ctx.route?.pattern ?? 'unmatched'
    const { status, isAborted } = endOf(ctx)
    this.requests.inc({ method, route, status: isAborted ? 'aborted' : status })
    this.durations.observe({ method, route }, milliseconds / 1000)
  }

  /** What follows a colon in a reason is a detail, and not one of its fixed words. */
  refused(by: string, { error, reason }: EventsList['auth:refused']): void {
    const words = reason.split(':')[0]!
    const isKnown = this.#reasons.has(words) || this.#reasons.size < MOST_VALUES
    this.refusals.inc({ by, error, reason: isKnown ? words : 'other' })
    isKnown && this.#reasons.add(words)
  }

  #counter(name: string, help: string, labelNames: string[]) {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #gauge(name: string, help: string, labelNames: string[], collect?: () => void): Gauge {
    return new Gauge({ name, help, labelNames, collect, registers: [this.registry] })
  }
}

export function listen(metrics: Metrics, emitter: Emitter<EventsList>, manager: AuthManager): void {
  const { signIns, tokens, securityEvents, reuse, mcpCalls } = metrics
  const failed = (way: string) => () => signIns.inc({ way, outcome: 'failure' })
  const called =
    (outcome: string) =>
    ({ server, kind, milliseconds }: EventsList['mcp:called']) =>
      mcpCalls.observe({ server, kind: kind ?? 'none', outcome }, milliseconds / 1000)
  emitter.on('auth:login', ({ ctx }) => {
    /* How the user proved who they are, e.g. `pwd+otp+mfa`. */
    const way = manager.feature('sessions')?.currentLogin(ctx)?.methods.join('+') || 'unknown'
    signIns.inc({ way, outcome: 'success' })
  })
  emitter.on('auth:login_failed', failed('pwd'))
  emitter.on('two_factor:failed', failed('mfa'))
  emitter.on('passkeys:refused', failed('passkey'))
  emitter.on('auth:security_event', ({ type }) => securityEvents.inc({ type }))
  emitter.on('auth:refused', (event) => metrics.refused('route', event))
  emitter.on('oauth2:refused', (event) => metrics.refused('oauth2', event))
  emitter.on('oauth2:token_issued', ({ grantType }) => tokens.inc({ grant: grantType }))
  emitter.on('oauth2:token_refreshed', () => tokens.inc({ grant: 'refresh_token' }))
  /* Prometheus sees no increase in a series that begins at 1: the first reuse would raise no alert. */
  const kinds: EventsList['oauth2:reuse_detected']['kind'][] = [
    'authorization_code',
    'refresh_token',
  ]
  kinds.forEach((kind) => reuse.inc({ kind }, 0))
  emitter.on('oauth2:reuse_detected', ({ kind }) => reuse.inc({ kind }))
  emitter.on('api_token:created', () => tokens.inc({ grant: 'api_token' }))
  emitter.on('mcp:called', called('called'))
  emitter.on('mcp:failed', called('failed'))
  emitter.on('mcp:refused', called('refused'))
}

export function watchPurges({ purged, lastPurges, purgeFailures }: Metrics, purges: Purges): void {
  purges.ended = (purge, deleted) => {
    purgeFailures.inc({ purge }, deleted === null ? 1 : 0)
    if (deleted === null) {
      return
    }
    purged.inc({ purge }, deleted)
    lastPurges.set({ purge }, Date.now() / 1000)
  }
}

export function watchPools(metrics: Metrics, { manager }: Database): void {
  metrics.ask('db_pool_connections', 'Connections', ['connection', 'state'], () =>
    [...manager.connections.values()].flatMap(({ name, connection }): [object, number][] => {
      const pool = connection?.pool
      return pool
        ? [
            [{ connection: name, state: 'used' }, pool.numUsed()],
            [{ connection: name, state: 'free' }, pool.numFree()],
            [{ connection: name, state: 'awaited' }, pool.numPendingAcquires()],
          ]
        : []
    })
  )
}

/** Passwords that are being hashed, and those that wait for their turn. */
export function watchHashes(metrics: Metrics): void {
  metrics.ask('auth_password_hashes', 'Passwords in the queue', ['state'], () => {
    const { running = 0, waiting = 0 } = PasswordHasher.latest?.queue ?? {}
    return [
      [{ state: 'running' }, running],
      [{ state: 'waiting' }, waiting],
    ]
  })
}
