import { isUtf8 } from 'node:buffer'

import { headerMismatch, type ReadHeader } from '#mcp/protocol/era'
import { isObject, type JsonObject } from '#mcp/protocol/json_rpc'

/** An argument that clients repeat in the header `Mcp-Param-{header}`. */
export interface ParamHeader {
  header: string
  path: string[]
  type: 'string' | 'integer' | 'boolean'
}

const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Visible ASCII, space and tab (RFC 9110, section 5.5). */
const PLAIN = /^[\t\x20-\x7e]*$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * Decodes a header value, plain or in a base64 sentinel (2026-07-28, "Value Encoding"); undefined
 * when it is malformed.
 */
function decode(value: string): string | undefined {
  const sentinel = SENTINEL.exec(value)
  if (!sentinel) {
    return PLAIN.test(value) ? value : undefined
  }
  const [, encoded = ''] = sentinel
  if (!BASE64.test(encoded)) {
    return undefined
  }
  const bytes = Buffer.from(encoded, 'base64')
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/**
 * Compares `Mcp-Name` with the name or URI in the body: a proxy may have authorized or routed the
 * request by the header (2026-07-28, "Server Validation").
 *
 * @throws {McpError} -32020
 */
export function checkNameHeader(name: string, header: ReadHeader): void {
  const value = header('mcp-name')
  if (value === undefined || decode(value) !== name) {
    throw headerMismatch('Mcp-Name')
  }
}

/**
 * Compares each `Mcp-Param-*` header with the argument it mirrors
 * (2026-07-28, "Server Behavior for Custom Headers").
 *
 * @throws {McpError} -32020
 */
export function checkParamHeaders(
  params: ParamHeader[],
  args: JsonObject,
  header: ReadHeader
): void {
  for (const param of params) {
    const name = `Mcp-Param-${param.header}`
    const sent = header(name.toLowerCase())
    const decoded = sent === undefined ? undefined : decode(sent)
    if (sent !== undefined && decoded === undefined) {
      throw headerMismatch(name)
    }

    const argument = valueAt(args, param.path)
    if (argument === undefined || argument === null) {
      if (sent !== undefined) {
        throw headerMismatch(name)
      }
      continue
    }
    if (decoded === undefined || !isSameValue(decoded, argument)) {
      throw headerMismatch(name)
    }
  }
}

function valueAt(args: JsonObject, path: string[]): unknown {
  let value: unknown = args
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) {
      return undefined
    }
    value = value[key]
  }
  return value
}

/** Numbers are compared as numbers: "42.0" equals 42. */
function isSameValue(text: string, value: unknown): boolean {
  return typeof value === 'number'
    ? DECIMAL.test(text) && Number(text) === value
    : text === String(value)
}
