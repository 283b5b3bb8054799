import { isUtf8 } from 'node:buffer'

import { assertArgument, TOKEN } from '#config/checks'
import type { Call } from '#mcp/protocol/call'
import { assertMirrored } from '#mcp/protocol/era'
import { isObject, objectOr, ownMember } from '#process/objects'
import type { JsonObject, JsonSchema } from '#mcp/types'

/** An argument that clients repeat in the header `Mcp-Param-{header}`. */
export type ParamHeader = { header: string; path: string[]; type: 'string' | 'integer' | 'boolean' }

const TYPES = ['string', 'integer', 'boolean']

const SENTINEL = /^=\?base64\?(.*)\?=$/s
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Visible ASCII, space and tab (RFC 9110, section 5.5). */
const PLAIN = /^[\t\x20-\x7e]*$/
const DECIMAL = /^-?\d+(?:\.\d+)?$/

/**
 * The properties marked with `x-mcp-header` (2026-07-28, "Custom Headers from Tool Parameters").
 * @throws {InvalidArgumentsException} for a misplaced or malformed mark: clients would reject the tool
 */
export function paramHeadersOf(schema: JsonSchema, owner: string): ParamHeader[] {
  const check = (isFulfilled: boolean, rule: string) =>
    assertArgument(isFulfilled, `"x-mcp-header" in the schema of ${owner}: it ${rule}`)
  const found = markedIn(schema, [])
  for (const { header, type } of found) {
    check(typeof header === 'string' && TOKEN.test(header), 'must be a header name')
    check(TYPES.includes(String(type)), 'must mark a string, an integer or a boolean')
  }
  const marks = JSON.stringify(schema).split('"x-mcp-header":').length - 1
  check(marks === found.length, 'must be reachable through "properties" alone')
  const names = new Set(found.map(({ header }) => header.toLowerCase()))
  check(names.size === found.length, 'must be unique, compared case-insensitively')
  return found
}

function markedIn({ properties }: JsonSchema, path: string[]): ParamHeader[] {
  return Object.entries(objectOr(properties)).flatMap(([name, property]) => {
    if (!isObject(property)) {
      return []
    }
    const here = { path: [...path, name], type: property.type, header: property['x-mcp-header'] }
    const own = 'x-mcp-header' in property ? [here as ParamHeader] : []
    return [...own, ...markedIn(property, here.path)]
  })
}

/** Decodes a header value, plain or in a base64 sentinel (2026-07-28, "Value Encoding"); undefined when it is malformed. */
function decode(value: string): string | undefined {
  const encoded = SENTINEL.exec(value)?.[1]
  if (encoded === undefined) {
    return PLAIN.test(value) ? value : undefined
  }
  const bytes = Buffer.from(encoded, 'base64')
  return BASE64.test(encoded) && isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

/** Whether headers of the request have to match its body (2026-07-28, "Server Validation"). */
const isMirrored = ({ era, mirrorsBody }: Call) => era.name === 'modern' && mirrorsBody

/**
 * A proxy may have authorized or routed the request by this header (2026-07-28, "Server Validation").
 * @throws {McpError} -32020 when `Mcp-Name` is not the name or URI in the body
 */
export function checkNameHeader(call: Call, name: string): void {
  const value = call.header('mcp-name')
  const isSame = value !== undefined && decode(value) === name
  assertMirrored(isSame || !isMirrored(call), 'Mcp-Name')
}

/** @throws {McpError} -32020 when a header differs (2026-07-28, "Server Behavior for Custom Headers") */
export function checkParamHeaders(call: Call, params: ParamHeader[], args: JsonObject): void {
  for (const param of isMirrored(call) ? params : []) {
    const name = `Mcp-Param-${param.header}`
    const sent = call.header(name.toLowerCase())
    const decoded = sent === undefined ? undefined : decode(sent)
    const given = param.path.reduce<unknown>((one, key) => ownMember(objectOr(one), key), args)
    const argument = given ?? undefined
    const isSame = decoded !== undefined && isSameValue(decoded, argument)
    assertMirrored(argument === undefined ? sent === undefined : isSame, name)
  }
}

/** Numbers are compared as numbers: "42.0" equals 42. */
function isSameValue(text: string, value: unknown): boolean {
  return typeof value === 'number'
    ? DECIMAL.test(text) && Number(text) === value
    : text === String(value)
}
