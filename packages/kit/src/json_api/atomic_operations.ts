import type { HttpContext, Route, Router } from '@adonisjs/core/http'

import { namedMiddleware } from '#http/route_marks'
import { assertDocument, locateFailure } from '#json_api/errors'
import { jsonPointer } from '#json_api/json'
import { ATOMIC_EXTENSION } from '#json_api/media_types'
import type { JsonApiOptions } from '#json_api/middleware/json_api_middleware'
import { canonicalId } from '#json_api/request_document'
import { type ResourceWrites, ResourceWriter, inTransaction } from '#json_api/resource_writes'
import type { ResourceObject } from '#json_api/types'
import { isObject, objectOr } from '#process/objects'

const OPERATIONS = 'atomic:operations'

export interface AtomicOperations {
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
export function atomicOperations(router: Router, options: AtomicOperations): Route {
  return router
    .post('/operations', (ctx) => processOperations(ctx, router, options))
    .as('operations')
    .use([options.jsonApi({ extension: ATOMIC_EXTENSION }), ...options.use])
}

type Target = { type: string; id?: string; lid?: string; relationship?: string }

type Result = { data?: ResourceObject }

/** What operations on a relationship do at its own address. */
const CHANGES = { add: 'add', update: 'replace', remove: 'remove' } as const

async function processOperations(ctx: HttpContext, router: Router, options: AtomicOperations) {
  const { writes, max = 100 } = options
  const operations = readOperations(ctx.request.body(), max)
  return inTransaction(ctx, async (write) => {
    const writers = writes.map((one) => new ResourceWriter(one, ctx, write))
    const byType = new Map(writers.map((writer) => [writer.type, writer]))
    const batch = new Batch(byType, ctx.request.url().replace(/\/operations\/?$/, ''), router)
    const results: Result[] = []
    for (const [index, operation] of operations.entries()) {
      try {
        results.push(await batch.process(operation))
      } catch (failure) {
        const pointer = jsonPointer(OPERATIONS, String(index))
        const isRemoval = objectOr(operation).op === 'remove'
        throw locateFailure(failure, { pointer, document: operation, isRemoval })
      }
    }
    return { 'atomic:results': results }
  })
}

function readOperations(body: unknown, max: number): unknown[] {
  const operations = objectOr(body)[OPERATIONS]
  const isList = Array.isArray(operations) && operations.length > 0
  assertDocument(isList, `The document has to hold a list of operations as "${OPERATIONS}".`)
  const forbidden = ['data', 'included'].find((name) => Object.hasOwn(body as object, name))
  assertDocument(!forbidden, 'A document with operations has no such member.', `/${forbidden}`)
  const detail = `A request may have ${max} operations.`
  assertDocument(operations.length <= max, detail, jsonPointer(OPERATIONS))
  return operations
}

/** The operations of one request, with the ids that local ones became. */
class Batch {
  #ids = new Map<string, string>()

  /** @param base the address that those of resources start with */
  constructor(
    private writers: ReadonlyMap<string, ResourceWriter>,
    private base: string,
    private router: Router
  ) {}

  async process(operation: unknown): Promise<Result> {
    assertDocument(isObject(operation), 'An operation is an object.')
    const op = operation.op as keyof typeof CHANGES
    assertDocument(Object.hasOwn(CHANGES, op), 'The member "op" is "add", "update" or "remove".')
    const target = this.#targetOf(operation)
    const writer = this.writers.get(target.type)
    const at = isObject(operation.ref) ? '/ref/type' : ''
    assertDocument(writer, 'Resources of this type cannot be written by operations.', at, 403)
    const { relationship } = target
    const isNew = op === 'add' && relationship === undefined
    const data = this.#resolve(operation.data, '/data', isNew)
    const body = data === undefined ? {} : { data }
    if (relationship !== undefined) {
      await writer.relate(idOf(target), relationship, CHANGES[op], body)
      return {}
    }
    if (op === 'add') {
      return this.#add(writer, target, body)
    }
    if (op === 'update') {
      return { data: await writer.show(await writer.update(idOf(target), body)) }
    }
    await writer.remove(idOf(target))
    return {}
  }

  async #add(writer: ResourceWriter, { type, id }: Target, body: { data?: unknown }) {
    assertDocument(id === undefined, 'A new resource is added to a collection.')
    const { lid } = objectOr(body.data)
    const key = keyOf(type, lid)
    const isFree = lid === undefined || (typeof lid === 'string' && !this.#ids.has(key))
    assertDocument(isFree, 'A local id is a text that no other new resource has.', '/data/lid')
    const data = await writer.show(await writer.create(body))
    lid !== undefined && this.#ids.set(key, data.id)
    return { data }
  }

  /** Where an operation leads: by its reference, its address, or the resource that it holds. */
  #targetOf({ op, ref, href, data }: Record<string, unknown>): Target {
    const isOne = ref === undefined || href === undefined
    assertDocument(isOne, 'An operation has a "ref" or a "href".')
    if (href !== undefined) {
      return this.#targetAt(href)
    }
    if (ref === undefined && op !== 'remove' && isObject(data) && typeof data.type === 'string') {
      const { type, lid } = data
      const id = op === 'update' ? (data.id ?? this.#ids.get(keyOf(type, lid))) : undefined
      return { type, ...(typeof id === 'string' && { id }) }
    }
    const isTyped = isObject(ref) && typeof ref.type === 'string'
    const rule = 'The operation names its target: a "ref" with a type, a "href" or a resource.'
    assertDocument(isTyped, rule)
    const isNamed = (ref.id === undefined) !== (ref.lid === undefined)
    assertDocument(isNamed, 'A reference has an "id" or a "lid".', '/ref')
    const { type, id, relationship } = this.#identified(ref, '/ref') as Record<string, unknown>
    const areTexts = typeof id === 'string' && ['string', 'undefined'].includes(typeof relationship)
    assertDocument(areTexts, 'The members of a reference are texts.', '/ref')
    return { type, id, relationship } as Target
  }

  #targetAt(href: unknown): Target {
    const isBelow = typeof href === 'string' && href.startsWith(`${this.base}/`)
    const path = isBelow ? href.slice(this.base.length) : ''
    const [, collection, id, relationship] =
      /^\/([^/?#]+)(?:\/([^/?#]+)(?:\/relationships\/([^/?#]+))?)?$/.exec(path) ?? []
    const detail = 'This address is none of a resource or a relationship.'
    assertDocument(collection !== undefined, detail, '/href')
    /* The name in the path need not be that of the type. */
    const own = [this.base, collection, id ?? []].flat().join('/')
    const route = this.router.match(own, 'GET', false)?.route
    const options = route && (namedMiddleware(route).get('jsonApi') as JsonApiOptions | undefined)
    return { type: options?.resource?.().type ?? collection, id, relationship }
  }

  /** The data of an operation with the ids that its local ones became; a new resource has none yet. */
  #resolve(data: unknown, pointer: string, isNew: boolean): unknown {
    const resolved = isNew && isObject(data) ? data : this.#identified(data, pointer)
    if (!isObject(resolved) || !isObject(resolved.relationships)) {
      return resolved
    }
    const linked = Object.entries(resolved.relationships).map(([name, relationship]) => {
      if (!isObject(relationship) || !Object.hasOwn(relationship, 'data')) {
        return [name, relationship]
      }
      const at = `${pointer}${jsonPointer('relationships', name, 'data')}`
      return [name, { ...relationship, data: this.#identified(relationship.data, at) }]
    })
    return { ...resolved, relationships: Object.fromEntries(linked) }
  }

  #identified(linkage: unknown, pointer: string): unknown {
    if (Array.isArray(linkage)) {
      return linkage.map((item, index) => this.#identified(item, `${pointer}/${index}`))
    }
    if (!isObject(linkage) || linkage.lid === undefined || linkage.id !== undefined) {
      return linkage
    }
    const id = this.#ids.get(keyOf(linkage.type, linkage.lid))
    const detail = 'No operation before this one added such a resource.'
    assertDocument(id !== undefined, detail, `${pointer}/lid`)
    return { ...linkage, id }
  }
}

const keyOf = (type: unknown, lid: unknown) => JSON.stringify([type, lid])

function idOf({ id }: Target): string {
  assertDocument(id !== undefined, 'The operation names the id of its resource.')
  return canonicalId(id)
}
