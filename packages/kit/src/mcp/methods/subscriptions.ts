import { assertParams, assertRequest, ErrorCode, McpError, quoted } from '#mcp/errors'
import { requireScopes } from '#mcp/caller'
import { type Call, objectParam, stringParam } from '#mcp/protocol/call'
import { MetaKey } from '#mcp/protocol/era'
import { notification, resultResponse } from '#mcp/protocol/json_rpc'
import { CallCancelled, keyOf } from '#mcp/protocol/running_calls'
import { subscriberOf } from '#mcp/subscriptions/subscriptions'

const MAX_URIS = 100
const UPDATED = 'notifications/resources/updated'

/**
 * `subscriptions/listen` (2026-07-28, "Subscriptions"). Lists change with a deployment alone, so
 * nothing but updates of resources is granted.
 */
export async function listen(call: Call): Promise<string> {
  const { id, params } = call.request
  const wanted = objectParam(params, 'notifications').resourceSubscriptions ?? []
  const isList = Array.isArray(wanted) && wanted.every((uri) => typeof uri === 'string')
  assertParams(isList, '"resourceSubscriptions" must be a list of URIs')
  const isShort = wanted.length <= MAX_URIS
  assertParams(isShort, `A subscription may have at most ${MAX_URIS} resources`)
  const uris = [...new Set<string>(wanted)].filter((uri) => isSubscribable(call, uri))
  const send = await opened(call)
  const own = { [MetaKey.SubscriptionId]: id }
  const updated = (uri: string) => send(notification(UPDATED, { _meta: own, uri }))
  await call.subscriptions!.hold(call, { ...subscriberOf(call), uris, updated }, () => {
    const notifications = uris.length > 0 ? { resourceSubscriptions: uris } : {}
    send(notification('notifications/subscriptions/acknowledged', { _meta: own, notifications }))
  })
  const all = { [MetaKey.ServerInfo]: call.definition.info, ...own }
  return JSON.stringify({ resultType: 'complete', _meta: all })
}

/**
 * `resources/subscribe` (2025-11-25, "Resources"). There are no streams but the answers to requests,
 * so the answer to this one stays open after the result, and has the updates.
 */
export async function subscribe(call: Call): Promise<string> {
  const uri = stringParam(call.request.params, 'uri')
  if (!isSubscribable(call, uri)) {
    const message = 'No such resource to subscribe to'
    const data = { uri: quoted(uri) }
    throw new McpError(ErrorCode.LegacyResourceNotFound, message, { data })
  }
  const send = await opened(call)
  const updated = () => send(notification(UPDATED, { uri }))
  const stream = { ...subscriberOf(call), uris: [uri], end: endOf(call, uri), updated }
  await call.subscriptions!.hold(call, stream, () => send(resultResponse(call.request.id, '{}')))
  throw new CallCancelled()
}

/** `resources/unsubscribe` (2025-11-25, "Resources"): ends the subscription, whichever process has it. */
export async function unsubscribe(call: Call): Promise<string> {
  const end = endOf(call, stringParam(call.request.params, 'uri'))
  await (end && call.subscriptions?.signals.publish(end))
  return '{}'
}

/** @throws {McpError} 401 or 403 with a challenge when a scope is missing */
function isSubscribable(call: Call, uri: string): boolean {
  const Class = call.definition.findResource(uri, call.caller)?.Class
  if (!Class?.subscribable || !call.subscriptions) {
    return false
  }
  requireScopes(call, Class.scopes)
  return true
}

async function opened(call: Call): Promise<(json: string) => boolean> {
  assertRequest(call.write, 'A subscription takes a client that accepts text/event-stream')
  await call.count(call.caller, call.ctx, { kind: 'subscription', name: '' })
  return call.write
}

/** The topic that ends a subscription; null for somebody who could end those of others. */
function endOf(call: Call, uri: string): string | null {
  const key = keyOf(call, uri)
  return key && `ended ${key}`
}
