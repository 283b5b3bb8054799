import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { isObject } from '#mcp/protocol/json_rpc'
import type { ParamHeader } from '#mcp/protocol/mirrored_headers'
import type { JsonSchema } from '#mcp/types'

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const TYPES = ['string', 'integer', 'boolean']

/**
 * Collects the properties marked with `x-mcp-header` (2026-07-28, "Custom Headers from Tool
 * Parameters").
 *
 * @throws {InvalidArgumentsException} for a misplaced or malformed mark: clients would reject the tool
 */
export function paramHeadersOf(schema: JsonSchema, owner: string): ParamHeader[] {
  const found: ParamHeader[] = []
  collect(schema, [], found, owner)

  const marks = JSON.stringify(schema).split('"x-mcp-header":').length - 1
  if (marks !== found.length) {
    throw misplaced(owner, 'must be reachable through "properties" alone')
  }
  const names = found.map(({ header }) => header.toLowerCase())
  if (new Set(names).size !== names.length) {
    throw misplaced(owner, 'must be unique, compared case-insensitively')
  }
  return found
}

function collect(schema: JsonSchema, path: string[], found: ParamHeader[], owner: string): void {
  if (!isObject(schema.properties)) {
    return
  }
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isObject(property)) {
      continue
    }
    const here = [...path, name]
    if ('x-mcp-header' in property) {
      found.push(read(property, here, owner))
    }
    collect(property, here, found, owner)
  }
}

function read(property: JsonSchema, path: string[], owner: string): ParamHeader {
  const header = property['x-mcp-header']
  if (typeof header !== 'string' || !TOKEN.test(header)) {
    throw misplaced(owner, 'must be a header name')
  }
  if (!TYPES.includes(String(property.type))) {
    throw misplaced(owner, 'must mark a string, an integer or a boolean')
  }
  return { header, path, type: property.type as ParamHeader['type'] }
}

function misplaced(owner: string, rule: string) {
  return new InvalidArgumentsException(`"x-mcp-header" in the schema of ${owner}: it ${rule}`)
}
