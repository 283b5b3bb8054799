import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'

/*
| An independent judge of JSON:API documents: the rules of the specification's
| "Document Structure" as a JSON Schema, and what a schema cannot say: each
| resource once, and full linkage.
*/

const MEMBER_NAME =
  '^[a-zA-Z0-9\\u0080-\\uffff]([a-zA-Z0-9\\u0080-\\uffff _-]*[a-zA-Z0-9\\u0080-\\uffff])?$'

const schema = {
  $id: 'json-api-1.1',
  type: 'object',
  properties: {
    data: {
      oneOf: [
        { type: 'null' },
        { $ref: '#/$defs/resource' },
        { type: 'array', items: { $ref: '#/$defs/resource' } },
      ],
    },
    errors: { type: 'array', minItems: 1, items: { $ref: '#/$defs/error' } },
    included: { type: 'array', items: { $ref: '#/$defs/resource' } },
    links: { $ref: '#/$defs/links' },
    meta: { type: 'object' },
    jsonapi: { type: 'object' },
  },
  additionalProperties: false,
  oneOf: [{ required: ['data'] }, { required: ['errors'] }],
  dependentRequired: { included: ['data'] },
  $defs: {
    name: { type: 'string', pattern: MEMBER_NAME },
    link: {
      oneOf: [
        { type: 'null' },
        { type: 'string', pattern: '^[^\\s]+$' },
        { type: 'object', required: ['href'], properties: { href: { type: 'string' } } },
      ],
    },
    links: { type: 'object', additionalProperties: { $ref: '#/$defs/link' } },
    identifier: {
      type: 'object',
      required: ['type', 'id'],
      properties: { type: { $ref: '#/$defs/name' }, id: { type: 'string' }, meta: true },
      additionalProperties: false,
    },
    linkage: {
      oneOf: [
        { type: 'null' },
        { $ref: '#/$defs/identifier' },
        { type: 'array', items: { $ref: '#/$defs/identifier' }, uniqueItems: true },
      ],
    },
    fields: {
      type: 'object',
      propertyNames: { $ref: '#/$defs/name' },
      properties: { id: false, type: false },
    },
    resource: {
      type: 'object',
      required: ['type', 'id'],
      properties: {
        type: { $ref: '#/$defs/name' },
        id: { type: 'string' },
        attributes: { $ref: '#/$defs/fields' },
        relationships: {
          $ref: '#/$defs/fields',
          additionalProperties: {
            type: 'object',
            minProperties: 1,
            properties: {
              data: { $ref: '#/$defs/linkage' },
              links: { $ref: '#/$defs/links' },
              meta: { type: 'object' },
            },
            additionalProperties: false,
          },
        },
        links: { $ref: '#/$defs/links' },
        meta: { type: 'object' },
      },
      additionalProperties: false,
    },
    error: {
      type: 'object',
      minProperties: 1,
      properties: {
        id: { type: 'string' },
        links: { $ref: '#/$defs/links' },
        status: { type: 'string', pattern: '^[45]\\d\\d$' },
        code: { type: 'string' },
        title: { type: 'string' },
        detail: { type: 'string' },
        source: {
          type: 'object',
          properties: {
            pointer: { type: 'string', pattern: '^(/([^~/]|~[01])*)*$' },
            parameter: { type: 'string' },
            header: { type: 'string' },
          },
          additionalProperties: false,
        },
        meta: { type: 'object' },
      },
      additionalProperties: false,
    },
  },
}

const validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema)

interface Identifier {
  type: string
  id: string
}

interface Resource extends Identifier {
  attributes?: Record<string, unknown>
  relationships?: Record<string, { data?: Identifier | Identifier[] | null }>
}

/** What is wrong with a document that was sent; an empty list when nothing is. */
export function judge(document: any): string[] {
  const wire = JSON.parse(JSON.stringify(document))
  if (!validate(wire)) {
    return validate.errors!.map(
      ({ instancePath, message }: ErrorObject) => `${instancePath} ${message}`
    )
  }
  return 'data' in wire ? [...duplicates(wire), ...sharedNames(wire), ...unlinked(wire)] : []
}

/** Resource objects. Primary data may be linkage, whose identifiers are none. */
function resourcesOf(document: any): Resource[] {
  const primary = [document.data ?? []].flat().filter((one) => 'attributes' in one)
  return primary.concat(document.included ?? [])
}

function keyOf({ type, id }: Identifier) {
  return JSON.stringify([type, id])
}

function duplicates(document: any) {
  const seen = new Set<string>()
  return resourcesOf(document)
    .map(keyOf)
    .filter((key) => seen.size === seen.add(key).size)
    .map((key) => `${key} is there more than once`)
}

function sharedNames(document: any) {
  return resourcesOf(document).flatMap((resource) =>
    Object.keys(resource.relationships ?? {})
      .filter((name) => Object.hasOwn(resource.attributes ?? {}, name))
      .map((name) => `${keyOf(resource)} has an attribute and a relationship "${name}"`)
  )
}

/** Every included resource is reached by a chain of linkage that starts at primary data. */
function unlinked(document: any) {
  const byKey = new Map(resourcesOf(document).map((resource) => [keyOf(resource), resource]))
  const reached = new Set<string>()
  const queue = [document.data ?? []].flat().map(keyOf)
  for (const key of queue) {
    const resource = byKey.get(key)
    if (!resource || reached.has(key)) {
      continue
    }
    reached.add(key)
    for (const { data } of Object.values(resource.relationships ?? {})) {
      queue.push(...[data ?? []].flat().map(keyOf))
    }
  }
  return [...byKey.keys()]
    .filter((key) => !reached.has(key))
    .map((key) => `${key} is included without a link to it`)
}
