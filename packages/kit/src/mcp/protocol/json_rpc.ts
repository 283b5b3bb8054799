import { isUtf8 } from 'node:buffer'

import { isWithin } from '#http/body/formats'
import { assertRequest, badRequest, ErrorCode, type McpError } from '#mcp/errors'
import type { JsonObject } from '#mcp/types'
import { isObject, objectOr } from '#process/objects'

/** Limit of nesting, so that recursive code that handles the value cannot overflow the stack. */
const NESTING = { maxDepth: 64, maxElements: Infinity }

export type RequestId = string | number

export type RpcRequest = { id: RequestId; method: string; params: JsonObject }
/** A notification has no id. */
export type RpcMessage = RpcRequest | (Omit<RpcRequest, 'id'> & { id: undefined })

/** @throws {McpError} -32700 for invalid JSON or UTF-8 (RFC 8259, section 8.1), -32600 for deep nesting */
export function parseJson(body: Buffer): unknown {
  const text = isUtf8(body) ? body.toString('utf8') : ''
  const { maxDepth } = NESTING
  assertRequest(isWithin(text, NESTING), `The body is nested deeper than ${maxDepth} levels`)
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest(ErrorCode.ParseError, 'The body is not valid JSON')
  }
}

/**
 * The id of a message, if it is valid: a string or an integer, never null (2025-11-25, "Requests").
 * An integer beyond 2^53 would be echoed as a different number, so it is refused.
 */
export function readableId(value: unknown): RequestId | undefined {
  const { id } = objectOr(value)
  return typeof id === 'string' || Number.isSafeInteger(id) ? (id as RequestId) : undefined
}

/**
 * @throws {McpError} -32600 for anything but a request, or a notification, which has no id: also for JSON-RPC
 * responses, because this server sends no requests
 */
export function readMessage(value: unknown): RpcMessage {
  assertRequest(isObject(value), 'A message must be a JSON object')
  const { jsonrpc, method, params = {} } = value
  const id = readableId(value)
  assertRequest(jsonrpc === '2.0', '"jsonrpc" must be "2.0"')
  assertRequest(typeof method === 'string', '"method" must be a string')
  assertRequest(id !== undefined || !('id' in value), '"id" must be a string or an integer')
  assertRequest(isObject(params), '"params" must be an object')
  return { id, method, params } as RpcMessage
}

export function resultResponse(id: RequestId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultJson}}`
}

export function errorResponse(id: RequestId | undefined, error: McpError): string {
  const { code, message, data } = error
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

export function notification(method: string, params: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}
