import { AsyncResource } from 'node:async_hooks'

/** What a span says of its work. Nothing that a caller has sent belongs here: no value, path, address or secret. */
export interface SpanOptions {
  /** Default `internal`. A request of somebody else is `server`, one of this process `client`. */
  kind?: 'internal' | 'server' | 'client'
  attributes?: Record<string, string | number>
  /** What may hold the `traceparent` of a caller (W3C Trace Context). */
  parent?: Record<string, unknown>
  outcome?: () => { name?: string; attributes: Record<string, string | number> }
}

export interface Tracing {
  run<Result>(name: string, options: SpanOptions, work: () => Result): Result
  /** Whether the work of now belongs to a trace that is recorded. */
  isRecording(): boolean
  apart<Result>(work: () => Result): Result
}

let tracing: Tracing | null = null

/** Turns spans on; null turns them off. */
export function traceWith(given: Tracing | null): void {
  tracing = given
}

export function traced<Result>(name: string, work: () => Result, options: SpanOptions = {}) {
  return tracing ? tracing.run(name, options, work) : work()
}

/** Work that belongs to the span of now, whenever it is done. */
export function ofThisSpan<Work extends (...args: any[]) => unknown>(work: Work): Work {
  return tracing?.isRecording() ? (AsyncResource.bind(work) as Work) : work
}

/** Does work of several requests: each belongs to the span that it brings along, none to that of the first. */
export function ofNoSpan<Result>(work: () => Result): Result {
  return tracing ? tracing.apart(work) : work()
}

/** Runs a statement within a span, which has its text and none of its values. */
export function tracedStatement<Result>(sql: string, work: () => Result): Result {
  return tracing?.isRecording() ? tracing.run(...statementSpan(sql), work) : work()
}

/** The name of a statement's span, and what it says. */
export function statementSpan(sql: string): [name: string, SpanOptions] {
  const name = /^\s*(\w+)/.exec(sql)?.[1]?.toUpperCase() ?? 'statement'
  return [name, { kind: 'client', attributes: { 'db.query.text': sql.slice(0, 2000) } }]
}
