import type { EventEmitter } from 'node:events'

import * as otel from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import * as core from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import * as sdk from '@opentelemetry/sdk-trace'
import type { Database } from '@adonisjs/lucid/database'
import { Mailer } from '@adonisjs/mail'

import { type SpanOptions, statementSpan, traced, type Tracing } from '#process/spans'

const KINDS = {
  internal: otel.SpanKind.INTERNAL,
  server: otel.SpanKind.SERVER,
  client: otel.SpanKind.CLIENT,
}

/** The context of requests that are not recorded. */
const APART = core.suppressTracing(otel.ROOT_CONTEXT)

/**
 * Sets the SDK of OpenTelemetry up. Callers may name the trace that a request belongs to,
 * and not whether it is recorded: that goes by its id, so that services choose alike.
 * @returns what ends it: spans that wait are sent first
 */
export function startSdk(options: { endpoint: string; ratio: number; service: string }) {
  const root = new sdk.TraceIdRatioBasedSampler(options.ratio)
  const exporter = new OTLPTraceExporter({ url: `${options.endpoint}/v1/traces` })
  const remote = { remoteParentSampled: root, remoteParentNotSampled: root }
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': options.service }),
    sampler: new sdk.ParentBasedSampler({ root, ...remote }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  otel.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  otel.propagation.setGlobalPropagator(new core.W3CTraceContextPropagator())
  otel.trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown()
}

/**
 * Does work within a span. Only requests, and calls that name their parent, begin a trace. One that is not
 * chosen has no span, and neither has anything in it.
 */
function run<Result>(name: string, options: SpanOptions, work: () => Result): Result {
  const active = otel.context.active()
  const around = otel.trace.getSpanContext(active)
  const caller = callerOf(options)
  const begins = options.kind === 'server' && !around && !core.isTracingSuppressed(active)
  if (!caller && !begins && !isRecorded(around)) {
    return work()
  }
  const parent = caller ? otel.trace.setSpanContext(core.unsuppressTracing(active), caller) : active
  const links = caller && around ? [{ context: around }] : []
  const about = { ...aboutSpan(options), links }
  return tracer().startActiveSpan(name, about, parent, (span) =>
    span.isRecording()
      ? finish(span, options, work)
      : otel.context.with(active === otel.ROOT_CONTEXT ? APART : core.suppressTracing(active), work)
  )
}

export const tracing: Tracing = {
  run,
  isRecording: () => isRecorded(otel.trace.getSpanContext(otel.context.active())),
  apart: (work) => otel.context.with(APART, work),
}

/** Of what callers send, `traceparent` alone: `tracestate` and baggage may hold anything. */
function callerOf({ parent: { traceparent } = {} }: SpanOptions): otel.SpanContext | undefined {
  return typeof traceparent === 'string'
    ? otel.trace.getSpanContext(otel.propagation.extract(otel.ROOT_CONTEXT, { traceparent }))
    : undefined
}

const isRecorded = (around: otel.SpanContext | undefined) =>
  around !== undefined && (around.traceFlags & otel.TraceFlags.SAMPLED) !== 0

function fail(span: otel.Span, error: unknown): void {
  const { code, name } = error as { code?: unknown; name?: unknown }
  span.setAttribute('error.type', String(code ?? name ?? 'unknown'))
  span.setStatus({ code: otel.SpanStatusCode.ERROR })
}

const tracer = () => otel.trace.getTracer('adonis-auth-kit')
const aboutSpan = ({ kind = 'internal', attributes }: SpanOptions) => ({
  kind: KINDS[kind],
  attributes,
})

/** Messages of errors stay here: they may hold what a caller has sent. */
function finish<Result>(span: otel.Span, { outcome }: SpanOptions, work: () => Result): Result {
  const ended = <Value>(value: Value): Value => {
    const { name, attributes = {} } = outcome?.() ?? {}
    span.setAttributes(attributes)
    const status = attributes['http.response.status_code']
    if (Number(status) >= 500) {
      fail(span, { code: status })
    }
    name && span.updateName(name)
    span.end()
    return value
  }
  const failed = (error: unknown): never => {
    fail(span, error)
    throw ended(error)
  }
  let result: Result
  try {
    result = work()
  } catch (error) {
    return failed(error)
  }
  return result instanceof Promise ? (result.then(ended, failed) as Result) : ended(result)
}

/** What Knex tells of a statement. Those that go straight to the driver have no id, and a span of their own. */
type KnexQuery = { __knexQueryUid?: string; sql: string }

const watched = new WeakSet<object>()

/** Spans of the statements that pass through Knex, on every connection that is known now. */
export function traceStatements({ manager }: Database): void {
  for (const { connection } of manager.connections.values()) {
    const client = connection?.client as EventEmitter | undefined
    if (client && !watched.has(client)) {
      watched.add(client)
      traceKnex(client)
    }
  }
}

function traceKnex(client: EventEmitter) {
  const running = new Map<string, otel.Span>()
  const end = (id = '', error?: unknown) => {
    const span = running.get(id)
    if (span) {
      running.delete(id)
      if (error) {
        fail(span, error)
      }
      span.end()
    }
  }
  client.on('query', ({ __knexQueryUid: id, sql }: KnexQuery) => {
    if (id && tracing.isRecording()) {
      const [name, options] = statementSpan(sql)
      running.set(id, tracer().startSpan(name, aboutSpan(options)))
    }
  })
  client.on('query-response', (_rows, query: KnexQuery) => end(query.__knexQueryUid))
  client.on('query-error', (error, query: KnexQuery) => end(query.__knexQueryUid, error))
}

/** Spans of mails, by the public method that every mail passes through. */
export function traceMails(): void {
  const { sendCompiled } = Mailer.prototype
  Mailer.prototype.sendCompiled = function (this: Mailer<any>, ...args) {
    const attributes = { 'mail.mailer': this.name }
    return traced('send mail', () => sendCompiled.apply(this, args), { kind: 'client', attributes })
  }
}
