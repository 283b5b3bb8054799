import { JsonApiError } from '#json_api/errors'
import { isObject, jsonPointer } from '#json_api/json'
import type { ResourceIdentifier } from '#json_api/types'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Requires that a request document asks for a new resource of the type, whose
 * id is the server's to give unless `clientIds` says otherwise (JSON:API 1.1, Creating
 * Resources). Attributes are left to a validator.
 *
 * @param relationships the names that the caller may set
 * @param options.clientIds the form of ids that clients may choose
 * @throws {JsonApiError} 400 for a malformed document, 409 for another type,
 * 403 for a client-generated id and for a relationship that is not the caller's to set
 */
export function assertNewResource(
  body: unknown,
  type: string,
  relationships: readonly string[] = [],
  { clientIds }: { clientIds?: 'uuid' } = {}
) {
  const data = resourceObject(body, type)
  if (Object.hasOwn(data, 'id')) {
    if (!clientIds) {
      throw new JsonApiError({
        status: 403,
        detail: 'Client-generated ids are not supported.',
        source: { pointer: '/data/id' },
      })
    }
    if (typeof data.id !== 'string' || !UUID.test(data.id)) {
      throw malformed('A client-generated id is a UUID in small letters.', '/data/id')
    }
  }
  assertFields(data, relationships)
}

/**
 * Requires that a request document describes a change of this very resource
 * (JSON:API 1.1, Updating Resources).
 *
 * @param identifier the type and the id of the resource at the address
 * @param relationships the names that the caller may set
 * @throws {JsonApiError} 400 for a malformed document, 409 for another type or id,
 * 403 for a relationship that is not the caller's to set
 */
export function assertUpdatedResource(
  body: unknown,
  identifier: { type: string; id: string | number },
  relationships: readonly string[] = []
) {
  const data = resourceObject(body, identifier.type)
  if (typeof data.id !== 'string') {
    throw malformed('A resource object that is updated names its id.', '/data')
  }
  if (data.id !== String(identifier.id)) {
    throw new JsonApiError({
      status: 409,
      detail: 'The id is not that of the resource at this address.',
      source: { pointer: '/data/id' },
    })
  }
  assertFields(data, relationships)
}

/**
 * Reads the document of a relationship's own address: a resource identifier or
 * null for a to-one relationship, a list for a to-many one (JSON:API 1.1,
 * Updating Relationships).
 *
 * @throws {JsonApiError} 400 for a malformed document, 409 for an identifier of another type
 */
export function readLinkage(
  body: unknown,
  relationship: { types: readonly string[]; isToMany: true }
): ResourceIdentifier[]
export function readLinkage(
  body: unknown,
  relationship: { types: readonly string[]; isToMany: false }
): ResourceIdentifier | null
export function readLinkage(
  body: unknown,
  { types, isToMany }: { types: readonly string[]; isToMany: boolean }
): ResourceIdentifier | ResourceIdentifier[] | null {
  return linkageAt(body, { types, isToMany }, '')
}

/**
 * Reads a relationship of a resource object that is created or updated.
 *
 * @returns undefined when the document does not name the relationship
 * @throws {JsonApiError} 400 for malformed linkage, 409 for an identifier of another type
 */
export function readRelationship(
  body: unknown,
  name: string,
  relationship: { types: readonly string[]; isToMany: true }
): ResourceIdentifier[] | undefined
export function readRelationship(
  body: unknown,
  name: string,
  relationship: { types: readonly string[]; isToMany: false }
): ResourceIdentifier | null | undefined
export function readRelationship(
  body: unknown,
  name: string,
  relationship: { types: readonly string[]; isToMany: boolean }
): ResourceIdentifier | ResourceIdentifier[] | null | undefined {
  const { data } = isObject(body) ? body : {}
  const { relationships } = isObject(data) ? data : {}
  const given = isObject(relationships) ? ownMember(relationships, name) : undefined
  if (given === undefined) {
    return undefined
  }
  return linkageAt(given, relationship, jsonPointer('data', 'relationships', name))
}

const ownMember = (object: Record<string, unknown>, name: string) =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** The linkage of a relationship object, which is at the pointer. */
function linkageAt(
  value: unknown,
  { types, isToMany }: { types: readonly string[]; isToMany: boolean },
  pointer: string
): ResourceIdentifier | ResourceIdentifier[] | null {
  if (!isObject(value) || !Object.hasOwn(value, 'data')) {
    throw malformed('The document has to hold resource linkage as "data".', pointer)
  }
  const { data } = value
  const at = `${pointer}/data`
  if (!isToMany) {
    return data === null ? null : identifierAt(data, types, at)
  }
  if (!Array.isArray(data)) {
    throw malformed('The linkage of a to-many relationship is a list.', at)
  }
  return data.map((item, index) => identifierAt(item, types, `${at}/${index}`))
}

function identifierAt(
  value: unknown,
  types: readonly string[],
  pointer: string
): ResourceIdentifier {
  if (!isObject(value) || typeof value.type !== 'string' || typeof value.id !== 'string') {
    throw malformed('A resource identifier has a type and an id, both of them texts.', pointer)
  }
  if (!types.includes(value.type)) {
    throw new JsonApiError({
      status: 409,
      detail: `This relationship leads to resources of the type ${types.join(', ')}.`,
      source: { pointer: `${pointer}/type` },
    })
  }
  return { type: value.type, id: value.id }
}

function resourceObject(body: unknown, type: string) {
  if (!isObject(body) || !isObject(body.data)) {
    throw malformed('The document has to hold one resource object as "data".', '')
  }
  const { data } = body
  if (typeof data.type !== 'string') {
    throw malformed('A resource object names its type.', '/data')
  }
  if (data.type !== type) {
    throw new JsonApiError({
      status: 409,
      detail: `Resources here are of the type "${type}".`,
      source: { pointer: '/data/type' },
    })
  }
  return data
}

function assertFields(data: Record<string, unknown>, relationships: readonly string[]) {
  if (data.attributes !== undefined && !isObject(data.attributes)) {
    throw malformed('Attributes are an object.', '/data/attributes')
  }
  assertRelationships(data.relationships, relationships)
}

function assertRelationships(value: unknown, settable: readonly string[]) {
  if (value === undefined) {
    return
  }
  if (!isObject(value)) {
    throw malformed('Relationships are an object.', '/data/relationships')
  }
  for (const [name, relationship] of Object.entries(value)) {
    const pointer = jsonPointer('data', 'relationships', name)
    if (!isObject(relationship) || !Object.hasOwn(relationship, 'data')) {
      throw malformed('A relationship is an object with "data".', pointer)
    }
    if (!settable.includes(name)) {
      throw new JsonApiError({
        status: 403,
        detail: 'This relationship cannot be set here.',
        source: { pointer },
      })
    }
  }
}

function malformed(detail: string, pointer: string) {
  return new JsonApiError({ status: 400, detail, source: { pointer } })
}
