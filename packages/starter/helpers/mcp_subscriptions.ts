import app from '@adonisjs/core/services/app'
import type { Client } from '@modelcontextprotocol/client'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

import { JSON_TYPE, url } from '#starter/helpers/mcp_wire'

/** The URIs of the updates that a client gets. */
function updatesOf() {
  const uris: string[] = []
  let waiting: (() => void)[] = []
  const take = ({ params }: any) => {
    uris.push(params.uri)
    waiting.forEach((resolve) => resolve())
    waiting = []
  }
  return { uris, take, next: () => new Promise<void>((resolve) => waiting.push(resolve)) }
}

/** Subscribes in the client's own way; returns what ends it. */
export async function subscribe(client: Client, uri: string) {
  const updates = updatesOf()
  if ('setNotificationHandler' in client && 'listen' in client) {
    client.setNotificationHandler('notifications/resources/updated', updates.take as any)
  } else {
    ;(client as any).setNotificationHandler(ResourceUpdatedNotificationSchema, updates.take)
  }
  if ('listen' in client && client.getNegotiatedProtocolVersion() === '2026-07-28') {
    const stream = await client.listen({ resourceSubscriptions: [uri] })
    return { ...updates, closed: stream.closed, end: () => stream.close() }
  }
  await client.subscribeResource({ uri })
  return {
    ...updates,
    closed: null,
    end: async () => void (await client.unsubscribeResource({ uri })),
  }
}

/** The subscriptions that this process holds. */
export async function openSubscriptions() {
  const { subscriptions } = await app.container.make('mcp')
  return subscriptions
}

/** Milliseconds: a test that waits for what never comes has its own end, a hook has none. */
const PATIENCE = 60_000

/** Resolves when this process holds so many subscriptions. */
export async function until(count: number) {
  const subscriptions = await openSubscriptions()
  const end = performance.now() + PATIENCE
  while (subscriptions.size !== count) {
    if (performance.now() > end) {
      throw new Error(`${subscriptions.size} subscriptions are open, not ${count}`)
    }
    await new Promise(setImmediate)
  }
}

/** A stream, read as it comes: `next` is null at its end. */
export async function openStream(path: string, message: object, headers: Record<string, string>) {
  const abort = new AbortController()
  const response = await fetch(url(path), {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify(message),
    signal: abort.signal,
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  const next = async (): Promise<any> => {
    for (;;) {
      const end = rest.indexOf('\n\n')
      if (end >= 0) {
        const event = rest.slice(0, end)
        rest = rest.slice(end + 2)
        return JSON.parse(event.replace(/^event: message\ndata: /, ''))
      }
      const { value, done } = await reader.read()
      if (done) {
        return null
      }
      rest += value
    }
  }
  return { response, next, close: () => abort.abort() }
}
