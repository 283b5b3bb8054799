import type { HttpContext } from '@adonisjs/core/http'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type { VineValidator } from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'

import type { Authenticator } from '#auth/authenticator'
import { asMissing, assertDocument } from '#json_api/errors'
import {
  assertNewResource,
  assertUpdatedResource,
  readLinkage,
  readRelationship,
} from '#json_api/request_document'
import type { JsonResource } from '#json_api/json_resource'
import type { Linkage, ResourceClass, ResourceIdentifier, ResourceObject } from '#json_api/types'
import { isObject, objectOr, ownMember } from '#process/objects'

/** Who writes, and the transaction that everything of the request is in. */
export interface Write {
  user: ReturnType<Authenticator['getUserOrFail']>
  trx: TransactionClientContract
}

export interface ResourceWrite<Attributes = Record<string, unknown>> extends Write {
  attributes: Attributes
  /** The linkage of relationships that the document names, of those that it may set. */
  relationships: Record<string, Linkage | undefined>
}

interface Validated<Attributes, Extra, Result> {
  validator: VineValidator<any, any>
  write(input: ResourceWrite<Attributes> & Extra): Promise<Result>
}

/** Of a validator of the whole document; nothing else is one. */
type AttributesOf<Validator extends VineValidator<any, any>> =
  Infer<Validator> extends { data: { attributes?: infer Attributes } }
    ? NonNullable<Attributes>
    : never

export interface RelationshipWrites<Model> {
  types: readonly string[]
  isToMany: boolean
  /** The documents of the resource that may set it. */
  set?: readonly ('create' | 'update')[]
  /** Handlers of the relationship's own address; without one the change is 403. */
  add?(change: RelationshipChange<Model>): Promise<void>
  replace?(change: RelationshipChange<Model>): Promise<void>
  remove?(change: RelationshipChange<Model>): Promise<void>
}

export interface RelationshipChange<Model> extends Write {
  model: Model
  /** The resources that the document names; one or none for a to-one relationship. */
  identifiers: ResourceIdentifier[]
}

/** How the resources of a class are written: see `defineWrites`. */
export interface ResourceWrites<Model = any> {
  resource: () => ResourceClass
  /** Finds what is changed or removed. A missing one is the error of the model (404). */
  find(id: string, write: Write): Promise<Model>
  /** Refuses a user who may not change or remove it. */
  authorize?(model: Model, write: Write): Promise<void> | void
  /** Lets clients choose the id of a new resource; it is 403 without this. */
  clientIds?: 'uuid'
  create?: Validated<any, { id?: string }, Model>
  update?: Validated<any, { model: Model }, Model>
  remove?(model: Model, write: Write): Promise<void>
  relationships?: Readonly<Record<string, RelationshipWrites<Model>>>
}

/**
 * Declares how the resources of a class are written, for their own routes and atomic operations:
 *
 *     export const postWrites = defineWrites<Post>({
 *       resource: () => PostResource,
 *       find: (id, { trx }) => Post.findByParam(id, { client: trx }),
 *       create: validated(createPostValidator, ({ attributes, user, trx }) =>
 *         Post.create({ ...attributes, userId: user.id }, { client: trx })
 *       ),
 *     })
 */
export const defineWrites = <Model>(writes: ResourceWrites<Model>): ResourceWrites<Model> => writes

/** A handler behind a validator of `{ data: { attributes } }`, whose attributes it is given. */
export function validated<Validator extends VineValidator<any, any>, Extra, Result>(
  validator: Validator,
  write: (input: ResourceWrite<AttributesOf<Validator>> & Extra) => Promise<Result>
): Validated<AttributesOf<Validator>, Extra, Result> {
  return { validator, write }
}

/** Names of the relationships that a document may set. */
export const settable = (writes: ResourceWrites, document: 'create' | 'update'): string[] =>
  Object.entries(writes.relationships ?? {})
    .filter(([, { set }]) => set?.includes(document))
    .map(([name]) => name)

/** JSON:API 1.1, Updating Relationships: a change that is not supported is 403. */
export const NO_SUCH_CHANGE = 'This relationship cannot be changed in this way.'

type Body = Record<string, unknown>

/** Writes a resource; `body` is the document of one request or one operation. */
export class ResourceWriter<Model = any> {
  constructor(
    private writes: ResourceWrites<Model>,
    private ctx: HttpContext,
    private write: Write
  ) {}

  get type() {
    return this.writes.resource().type
  }

  async create(body: Body): Promise<Model> {
    const create = supported(this.writes.create)
    assertNewResource(body, this.type, settable(this.writes, 'create'), this.writes)
    const { id } = body.data as { id?: string }
    const input = await this.#input(body, create.validator, 'create')
    return create.write({ ...input, ...(id !== undefined && { id }) })
  }

  async update(id: string, body: Body): Promise<Model> {
    const update = supported(this.writes.update)
    const model = await this.writes.find(id, this.write).catch(asMissing)
    /* First: whether linkage is echoed tells what is there. */
    await this.writes.authorize?.(model, this.write)
    const names = settable(this.writes, 'update')
    const echoed = await this.#echoed(model, body, names)
    assertUpdatedResource(body, { type: this.type, id }, [...names, ...echoed])
    const input = await this.#input(body, update.validator, 'update')
    return update.write({ ...input, model })
  }

  async remove(id: string): Promise<void> {
    const remove = supported(this.writes.remove)
    const model = await this.writes.find(id, this.write).catch(asMissing)
    await this.writes.authorize?.(model, this.write)
    await remove(model, this.write)
  }

  async relate(id: string, name: string, action: 'add' | 'replace' | 'remove', body: Body) {
    const relationship = ownMember(this.writes.relationships, name)
    supported(relationship?.[action], NO_SUCH_CHANGE)
    const model = await this.writes.find(id, this.write).catch(asMissing)
    const identifiers = [readLinkage(body, relationship!) ?? []].flat()
    /* Nothing to add or to remove: Lucid's `detach()` of no ids would remove everything. */
    if (identifiers.length > 0 || action === 'replace') {
      await relationship![action]!({ ...this.write, model, identifiers })
    }
  }

  async #input(body: Body, validator: VineValidator<any, any>, document: 'create' | 'update') {
    const valid = await this.ctx.request.validateUsing(validator, { data: body })
    const linked = settable(this.writes, document).map((name) => {
      return [name, readRelationship(body, name, this.writes.relationships![name]!)]
    })
    const relationships = Object.fromEntries(linked)
    return { ...this.write, attributes: valid.data.attributes ?? {}, relationships }
  }

  /** Names of relationships that cannot be set and are sent as they are: clients send back all that they read. */
  async #echoed(model: Model, body: Body, names: string[]): Promise<string[]> {
    const sent = objectOr(objectOr(body.data).relationships)
    const echoed: string[] = []
    for (const [name, relationship] of Object.entries(sent)) {
      if (!names.includes(name) && isObject(relationship) && relationship.data !== undefined) {
        const present = await this.#linkageOf(model, name)
        present !== undefined && isSame(relationship.data, present) && echoed.push(name)
      }
    }
    return echoed
  }

  async #linkageOf(model: Model, name: string): Promise<Linkage | undefined> {
    const resource = this.#resourceOf(model)
    const isDeclared = ownMember(resource.toRelationships(), name) !== undefined
    const document = isDeclared ? await resource.relationship(name).serialize() : undefined
    return document?.data
  }

  async show(model: Model): Promise<ResourceObject> {
    const { data } = await this.#resourceOf(model).serialize()
    return data as ResourceObject
  }

  #resourceOf(model: Model): JsonResource {
    return new (this.writes.resource())(model)
  }
}

/** Whether linkage that was sent says what is there; the order of a list says nothing. */
function isSame(sent: unknown, present: Linkage): boolean {
  if (Array.isArray(sent) !== Array.isArray(present) || sent === null || present === null) {
    return sent === present
  }
  const keys = (linkage: unknown) =>
    [linkage].flat().map((item) => (isObject(item) ? JSON.stringify([item.type, item.id]) : ''))
  return new Set(keys(present)).symmetricDifference(new Set(keys(sent))).size === 0
}

/** @throws {JsonApiError} 403 without a handler */
function supported<Handler>(
  handler: Handler | undefined,
  detail = 'Resources of this type cannot be written in this way.'
): Handler {
  assertDocument(handler, detail, '', 403)
  return handler
}

/**
 * Writes in one transaction with what was declared: for the controller of the resource.
 *
 *     const post = await writing(ctx, postWrites, (posts, body) => posts.create(body))
 */
export async function writing<Model, Result>(
  ctx: HttpContext,
  writes: ResourceWrites<Model>,
  run: (writer: ResourceWriter<Model>, body: Body) => Promise<Result>
): Promise<Result> {
  return inTransaction(ctx, (write) => {
    return run(new ResourceWriter(writes, ctx, write), objectOr(ctx.request.body()))
  })
}

/** Runs writes of the caller: all of them, or none. */
export async function inTransaction<Result>(
  ctx: HttpContext,
  run: (write: Write) => Promise<Result>
): Promise<Result> {
  /* Beside @adonisjs/auth, a route may be protected by either. */
  const { authenticator, auth } = ctx
  const user = (authenticator.context ? authenticator : auth).getUserOrFail()
  const db = await ctx.containerResolver.make('lucid.db')
  return db.transaction((trx: TransactionClientContract) => run({ user, trx }))
}
