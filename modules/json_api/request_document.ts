import { JsonApiError } from '#json_api/errors'
import { isObject, jsonPointer } from '#json_api/json'

/**
 * Requires that a request document asks for a new resource of the type, whose
 * id is ours to give (JSON:API 1.1, Creating Resources). What its attributes
 * have to be is for a validator to say.
 *
 * @param relationships the names that the caller may set
 * @throws {JsonApiError} 400 for a malformed document, 409 for another type,
 * 403 for a client-generated id and for a relationship that is not the caller's to set
 */
export function assertNewResource(body: unknown, type: string, relationships: string[] = []) {
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
  if (Object.hasOwn(data, 'id')) {
    throw new JsonApiError({
      status: 403,
      detail: 'Client-generated ids are not supported.',
      source: { pointer: '/data/id' },
    })
  }
  if (data.attributes !== undefined && !isObject(data.attributes)) {
    throw malformed('Attributes are an object.', '/data/attributes')
  }
  assertRelationships(data.relationships, relationships)
}

function assertRelationships(value: unknown, settable: string[]) {
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
