import type { Client } from '@modelcontextprotocol/client'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

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
