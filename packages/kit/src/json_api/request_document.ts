import { assertDocument } from '#json_api/errors'
import { jsonPointer } from '#json_api/json'
import type { LinkageFor } from '#json_api/types'
import { isObject, objectOr, ownMember } from '#process/objects'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A UUID of a request in small letters, as databases keep it: requests may have capitals (RFC 9562 §4). Anything else as it is. */
export const canonicalId = <Id>(id: Id) =>
  typeof id === 'string' && UUID.test(id) ? id.toLowerCase() : id

/**
 * Requires that a document asks for a new resource of the type, whose id is the server's to give
 * unless `clientIds` says otherwise (JSON:API 1.1, Creating Resources). Attributes are left to a
 * validator.
 * @param relationships the names that the caller may set
 * @throws {JsonApiError} 400 for a malformed document, 409 for another type, 403 for a
 * client-generated id and for a relationship that is not the caller's to set
 */
export function assertNewResource(
  body: unknown,
  type: string,
  relationships: readonly string[] = [],
  { clientIds }: { clientIds?: 'uuid' } = {}
) {
  const data = resourceObject(body, type)
  if (Object.hasOwn(data, 'id')) {
    assertDocument(clientIds, 'Client-generated ids are not supported.', '/data/id', 403)
    const isUuid = typeof data.id === 'string' && UUID.test(data.id)
    const isSmall = isUuid && data.id === canonicalId(data.id)
    assertDocument(isSmall, 'A client-generated id is a UUID in small letters.', '/data/id')
  }
  assertFields(data, relationships)
}

/**
 * Requires that a document changes this very resource (JSON:API 1.1, Updating Resources).
 * @param relationships the names that the caller may set
 * @throws {JsonApiError} 400 for a malformed document, 409 for another type or id, 403 for a
 * relationship that is not the caller's to set
 */
export function assertUpdatedResource(
  body: unknown,
  identifier: { type: string; id: string | number },
  relationships: readonly string[] = []
) {
  const data = resourceObject(body, identifier.type)
  const isNamed = typeof data.id === 'string'
  assertDocument(isNamed, 'A resource object that is updated names its id.', '/data')
  const isSame = canonicalId(data.id) === canonicalId(String(identifier.id))
  assertDocument(isSame, 'The id is not that of the resource at this address.', '/data/id', 409)
  assertFields(data, relationships)
}

type Expected<IsToMany extends boolean> = { types: readonly string[]; isToMany: IsToMany }

/**
 * Reads a relationship of a resource object; undefined when the document does not name it.
 * @throws {JsonApiError} 400 for malformed linkage, 409 for an identifier of another type
 */
export function readRelationship<IsToMany extends boolean>(
  body: unknown,
  name: string,
  relationship: Expected<IsToMany>
): LinkageFor<IsToMany> | undefined {
  const given = ownMember(objectOr(objectOr(objectOr(body).data).relationships), name)
  return given === undefined
    ? undefined
    : readLinkage(given, relationship, jsonPointer('data', 'relationships', name))
}

/**
 * Reads the document of a relationship's own address: a resource identifier or null for a to-one
 * relationship, a list for a to-many one (JSON:API 1.1, Updating Relationships).
 * @param pointer where it is in the body of the request
 * @throws {JsonApiError} 400 for a malformed document, 409 for an identifier of another type
 */
export function readLinkage<IsToMany extends boolean>(
  document: unknown,
  { types, isToMany }: Expected<IsToMany>,
  pointer = ''
): LinkageFor<IsToMany> {
  const hasData = isObject(document) && Object.hasOwn(document, 'data')
  assertDocument(hasData, 'The document has to hold resource linkage as "data".', pointer)
  const { data } = document
  const at = `${pointer}/data`
  if (!isToMany) {
    return (data === null ? null : identifierAt(at, data, types)) as LinkageFor<IsToMany>
  }
  assertDocument(Array.isArray(data), 'The linkage of a to-many relationship is a list.', at)
  const identifiers = data.map((item, index) => identifierAt(`${at}/${index}`, item, types))
  return identifiers as LinkageFor<IsToMany>
}

function identifierAt(pointer: string, value: unknown, types: readonly string[]) {
  const { type, id } = objectOr(value)
  const areTexts = typeof type === 'string' && typeof id === 'string'
  const rule = 'A resource identifier has a type and an id, both of them texts.'
  assertDocument(areTexts, rule, pointer)
  const detail = `This relationship leads to resources of the type ${types.join(', ')}.`
  assertDocument(types.includes(type), detail, `${pointer}/type`, 409)
  return { type, id: canonicalId(id) }
}

function resourceObject(body: unknown, type: string) {
  const { data } = objectOr(body)
  const at = data === undefined ? '' : '/data'
  assertDocument(isObject(data), 'The document has to hold one resource object as "data".', at)
  assertDocument(typeof data.type === 'string', 'A resource object names its type.', '/data')
  const detail = `Resources here are of the type "${type}".`
  assertDocument(data.type === type, detail, '/data/type', 409)
  return data
}

function assertFields(
  { attributes, relationships = {} }: Record<string, unknown>,
  settable: readonly string[]
) {
  const areFields = attributes === undefined || isObject(attributes)
  assertDocument(areFields, 'Attributes are an object.', '/data/attributes')
  assertDocument(isObject(relationships), 'Relationships are an object.', '/data/relationships')
  for (const [name, relationship] of Object.entries(relationships)) {
    const pointer = jsonPointer('data', 'relationships', name)
    const hasData = isObject(relationship) && Object.hasOwn(relationship, 'data')
    assertDocument(hasData, 'A relationship is an object with "data".', pointer)
    const isSettable = settable.includes(name)
    assertDocument(isSettable, 'This relationship cannot be set here.', pointer, 403)
  }
}
