import type { Span } from '@opentelemetry/api'
import type { Database } from '@adonisjs/lucid/database'
import { Mailer } from '@adonisjs/mail'

import { statementSpan, traced } from '#process/spans'
import { fail, startSpan, tracing } from '#tracing/tracing'

/** What Knex tells of a statement. Those that go straight to the driver have no id, and a span of their own. */
interface KnexQuery {
  __knexQueryUid?: string
  sql: string
}

interface KnexClient {
  on(event: 'query' | 'query-response' | 'query-error', listener: (...args: any[]) => void): unknown
}

const watched = new WeakSet<object>()

/** Spans of the statements that pass through Knex, on every connection that is known now. */
export function traceStatements({ manager }: Database): void {
  for (const { connection } of manager.connections.values()) {
    const client = connection?.client as KnexClient | undefined
    if (client && !watched.has(client)) {
      watched.add(client)
      traceKnex(client)
    }
  }
}

function traceKnex(client: KnexClient) {
  const running = new Map<string, Span>()
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
      running.set(id, startSpan(...statementSpan(sql)))
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
