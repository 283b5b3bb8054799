import type { HttpContext, Route, Router } from '@adonisjs/core/http'

import type { DocumentSource } from '#json_api/document_source'
import { JsonApiError, locateFailure } from '#json_api/errors'
import { isObject, jsonPointer } from '#json_api/json'
import { ATOMIC_EXTENSION } from '#json_api/media_types'
import type { JsonApiOptions } from '#json_api/middleware/json_api_middleware'
import { type ResourceWrites, ResourceWriter, inTransaction } from '#json_api/resource_writes'
import type { ResourceObject } from '#json_api/types'

const OPERATIONS = 'atomic:operations'

/** Operations of one request, unless a route says otherwise. */
const MAX_OPERATIONS = 100

export interface AtomicOperations {
  /** The resources that operations may write. */
  writes: readonly ResourceWrites[]
  /** `middleware.jsonApi` of the application. */
  jsonApi(options: JsonApiOptions): any
  /** Middleware behind it. */
  use: readonly any[]
  /** How many operations a request may have: 100 without it. */
  max?: number
}

/**
 * Mounts `POST /operations` of the extension https://jsonapi.org/ext/atomic: operations
 * of a request are processed in order, in one transaction, and fail together.
 */
export function atomicOperations(
  router: Router,
  { writes, jsonApi, use, max = MAX_OPERATIONS }: AtomicOperations
): Route {
  return router
    .post('/operations', (ctx) => processOperations(ctx, writes, max))
    .as('operations')
    .use([jsonApi({ extension: ATOMIC_EXTENSION }), ...use])
}

/** What an operation leads to. */
interface Target {
  type: string
  id?: string
  lid?: string
  relationship?: string
}

type Result = { data?: ResourceObject }

async function processOperations(ctx: HttpContext, writes: readonly ResourceWrites[], max: number) {
  const operations = readOperations(ctx.request.body(), max)
  return inTransaction(ctx, async (write) => {
    const batch = new Batch(
      new Map(writes.map((one) => [one.resource().type, one])),
      (one) => new ResourceWriter(one, ctx, write),
      ctx.request.url().replace(/\/operations$/, '')
    )
    const results: Result[] = []
    for (const [index, operation] of operations.entries()) {
      try {
        results.push(await batch.process(operation))
      } catch (failure) {
        throw locateFailure(failure, {
          pointer: jsonPointer(OPERATIONS, String(index)),
          document: operation,
          isRemoval: isObject(operation) && operation.op === 'remove',
        })
      }
    }
    return { 'atomic:results': results }
  })
}

function readOperations(body: unknown, max: number): unknown[] {
  const operations = isObject(body) ? body[OPERATIONS] : undefined
  if (!Array.isArray(operations) || operations.length === 0) {
    throw malformed(`The document has to hold a list of operations as "${OPERATIONS}".`)
  }
  if (operations.length > max) {
    throw malformed(`A request may have ${max} operations.`, jsonPointer(OPERATIONS))
  }
  return operations
}

/** The operations of one request, with the ids that local ones became. */
class Batch {
  #ids = new Map<string, string>()

  constructor(
    private writes: ReadonlyMap<string, ResourceWrites>,
    private writerOf: (writes: ResourceWrites) => ResourceWriter,
    private base: string
  ) {}

  async process(operation: unknown): Promise<Result> {
    if (!isObject(operation)) {
      throw malformed('An operation is an object.')
    }
    if (!['add', 'update', 'remove'].includes(operation.op as string)) {
      throw malformed('The member "op" is "add", "update" or "remove".')
    }
    const target = this.#targetOf(operation)
    const writes = this.writes.get(target.type)
    if (!writes) {
      throw new JsonApiError({
        status: 403,
        detail: 'Resources of this type cannot be written by operations.',
        source: { pointer: isObject(operation.ref) ? '/ref/type' : '' },
      })
    }
    const writer = this.writerOf(writes)
    const isNew = operation.op === 'add' && target.relationship === undefined
    const body = { data: this.#resolve(operation.data, '/data', isNew) }
    switch (operation.op) {
      case 'add':
        return target.relationship === undefined
          ? this.#add(writes, writer, target, body)
          : this.#relate(writer, target, 'add', body)
      case 'update':
        return target.relationship === undefined
          ? documentOf(writes, await writer.update(idOf(target), body))
          : this.#relate(writer, target, 'replace', body)
      default:
        if (target.relationship !== undefined) {
          return this.#relate(writer, target, 'remove', body)
        }
        await writer.remove(idOf(target))
        return {}
    }
  }

  async #add(
    writes: ResourceWrites,
    writer: ResourceWriter,
    target: Target,
    body: { data: unknown }
  ): Promise<Result> {
    if (target.id !== undefined) {
      throw malformed('A new resource is added to a collection.')
    }
    const lid = isObject(body.data) ? body.data.lid : undefined
    const key = keyOf(target.type, lid)
    if (lid !== undefined && (typeof lid !== 'string' || this.#ids.has(key))) {
      throw malformed('A local id is a text that no other new resource has.', '/data/lid')
    }
    const result = await documentOf(writes, await writer.create(body))
    lid !== undefined && this.#ids.set(key, result.data!.id)
    return result
  }

  async #relate(
    writer: ResourceWriter,
    target: Target,
    action: 'add' | 'replace' | 'remove',
    body: { data: unknown }
  ): Promise<Result> {
    await writer.relate(idOf(target), target.relationship!, action, body)
    return {}
  }

  /** Where an operation leads: by its reference, its address, or the resource that it holds. */
  #targetOf({ op, ref, href, data }: Record<string, unknown>): Target {
    if (ref !== undefined && href !== undefined) {
      throw malformed('An operation has a "ref" or a "href".')
    }
    if (href !== undefined) {
      return this.#targetAt(href)
    }
    if (ref === undefined && op !== 'remove' && isObject(data) && typeof data.type === 'string') {
      const { type, lid } = data
      const id = op === 'update' ? (data.id ?? this.#ids.get(keyOf(type, lid))) : undefined
      return { type, ...(typeof id === 'string' && { id }) }
    }
    if (!isObject(ref) || typeof ref.type !== 'string') {
      throw malformed(
        'The operation names its target: a "ref" with a type, a "href" or a resource.'
      )
    }
    if ((ref.id === undefined) === (ref.lid === undefined)) {
      throw malformed('A reference has an "id" or a "lid".', '/ref')
    }
    const { type, id, relationship } = this.#resolveOne(ref, '/ref')
    if (typeof id !== 'string' || !['string', 'undefined'].includes(typeof relationship)) {
      throw malformed('The members of a reference are texts.', '/ref')
    }
    return { type, id, relationship } as Target
  }

  #targetAt(href: unknown): Target {
    const isBelow = typeof href === 'string' && href.startsWith(`${this.base}/`)
    const path = isBelow ? href.slice(this.base.length) : ''
    const [, type, id, relationship] =
      /^\/([^/?#]+)(?:\/([^/?#]+)(?:\/relationships\/([^/?#]+))?)?$/.exec(path) ?? []
    if (type === undefined) {
      throw malformed('This address is none of a resource or a relationship.', '/href')
    }
    return { type, id, relationship }
  }

  /** The data of an operation with the ids that its local ones became; a new resource has none yet. */
  #resolve(data: unknown, pointer: string, isNew: boolean): unknown {
    if (Array.isArray(data)) {
      return data.map((item, index) => this.#resolveOne(item, `${pointer}/${index}`))
    }
    if (!isObject(data)) {
      return data
    }
    const { relationships } = data
    const resolved = isNew ? data : this.#resolveOne(data, pointer)
    if (!isObject(relationships)) {
      return resolved
    }
    const linked = Object.entries(relationships).map(([name, relationship]) => {
      if (!isObject(relationship) || !Object.hasOwn(relationship, 'data')) {
        return [name, relationship]
      }
      const at = `${pointer}${jsonPointer('relationships', name, 'data')}`
      const linkage = Array.isArray(relationship.data)
        ? relationship.data.map((item, index) => this.#resolveOne(item, `${at}/${index}`))
        : this.#resolveOne(relationship.data, at)
      return [name, { ...relationship, data: linkage }]
    })
    return { ...(resolved as object), relationships: Object.fromEntries(linked) }
  }

  /** An identifier with the id that its local one became. */
  #resolveOne(identifier: any, pointer: string): any {
    if (!isObject(identifier) || identifier.lid === undefined || identifier.id !== undefined) {
      return identifier
    }
    const id = this.#ids.get(keyOf(identifier.type, identifier.lid))
    if (id === undefined) {
      throw malformed('No operation before this one added such a resource.', `${pointer}/lid`)
    }
    return { ...identifier, id }
  }
}

const keyOf = (type: unknown, lid: unknown) => JSON.stringify([type, lid])

function idOf({ id }: Target): string {
  if (id === undefined) {
    throw malformed('The operation names the id of its resource.')
  }
  return id
}

/** What a result shows of a resource that was written. */
async function documentOf(writes: ResourceWrites, model: unknown): Promise<Result> {
  const resource: DocumentSource = new (writes.resource())(model)
  const { data } = await resource.serialize()
  return { data: data as ResourceObject }
}

function malformed(detail: string, pointer = '') {
  return new JsonApiError({ status: 400, detail, source: { pointer } })
}
