import { CamelCaseNamingStrategy } from '@adonisjs/lucid/orm'

import { assertArgument } from '#config/checks'
import { unreadRows } from '#database/quick_query'
import { isMarked, lacksRelated } from '#http/route_marks'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import { buildDocument } from '#json_api/document_builder'
import { DocumentSource } from '#json_api/document_source'
import { assertParameter } from '#json_api/errors'
import { type CursorPage, type Page, pageOf } from '#json_api/pagination'
import { serializeModel } from '#json_api/readers'
import type {
  DefaultAttributes,
  Document,
  InferDocument,
  Linkage,
  Links,
  Relationships,
  Resource,
  ResourceClass,
  ResourceHook,
  ResourceObject,
} from '#json_api/types'
import { rememberedOf } from '#process/remembered'

/** @throws {InvalidArgumentsException} for a class whose name says nothing */
const typeOf = rememberedOf((resourceClass: { name: string }): string => {
  const name = resourceClass.name.replace(/Resource$/, '')
  assertArgument(
    name !== '' && resourceClass.name !== 'JsonResource',
    `A resource type cannot be derived from the class name "${resourceClass.name}": ` +
      'name the class after its model, like PostResource, or give it a static "type".'
  )
  return new CamelCaseNamingStrategy().tableName({ name } as never)
})

/**
 * Turns a model into a JSON:API document (JSON:API 1.1, Document Structure).
 *
 *     class PostResource extends JsonResource<Post> {
 *       static hidden = ['id', 'userId']
 *
 *       toRelationships() {
 *         return {
 *           author: toOne(() => UserResource),
 *           comments: toMany(() => CommentResource),
 *         }
 *       }
 *     }
 *
 * A relationship with the name of a Lucid relation is loaded for all resources at once.
 */
export class JsonResource<Model = any> extends DocumentSource {
  /** The resource type. Default: the class name without `Resource`, inflected like a table name. */
  declare static type: string

  /** Names of attributes to leave out. `id` stays unless it is listed. */
  static hidden: readonly string[] = []

  /** Other names of attributes: JSON:API forbids some, like `type` and `_id`. */
  static renamed: Readonly<Record<string, string>> = {}

  /** The name of the route with one parameter that shows a resource: it gets `links.self`. */
  static route: string | null = null

  /** Relationships with addresses of their own below that route: they get links. */
  static relationshipLinks: readonly string[] = []

  /** To-one relationships whose linkage is always there: of a `belongsTo`, by its foreign key. */
  static linkage: readonly string[] = []

  /** The number of names that a relationship path may have. */
  static maxIncludeDepth = 5

  /** The number of related resources that a document may include. */
  static maxIncluded = 10_000

  static {
    Object.defineProperty(this, 'type', {
      get(this: ResourceClass) {
        return typeOf(this)
      },
    })
  }

  /** The model. No hook but `toRelationships` is ever called without one. */
  declare readonly resource: Model

  constructor(resource: Model | null) {
    super()
    this.resource = resource as Model
  }

  /** Whether a resource does not override a hook. */
  static hasDefault(hook: ResourceHook, resource: Resource): boolean {
    return resource[hook] === JsonResource.prototype[hook]
  }

  /** A collection of resources, of a list or a paginator. */
  static collection<Item extends Resource>(
    this: ResourceClass<Item>,
    items: readonly Item['resource'][] | Page<Item['resource']> | CursorPage<Item['resource']>
  ): ResourceCollection<Item> {
    return new ResourceCollection(this, items)
  }

  get resourceClass() {
    return this.constructor as unknown as ResourceClass<this>
  }

  override resources(): this | null {
    return this.resource === null || this.resource === undefined ? null : this
  }

  /** The attributes: everything that the model's serialize call returns, minus `hidden`. */
  toAttributes(): DefaultAttributes<Model> {
    const { hidden } = this.resourceClass
    const serialized = serializeModel(this.resource as object)
    const shown = Object.entries(serialized).filter(([name]) => !hidden.includes(name))
    return Object.fromEntries(shown) as DefaultAttributes<Model>
  }

  /**
   * The relationships: `toOne` or `toMany`, a resource class (read from the model's attribute of
   * the name, left out when that is null), a callable that returns a resource, a collection or a
   * list of resources, or a resource. Asked without a model, too, for the names alone.
   */
  toRelationships(): Relationships | null {
    return null
  }

  /** The meta of this resource, wherever it is in a document. */
  toResourceMeta(): Record<string, unknown> | null {
    return null
  }

  /** The meta of relationships by name. */
  toRelationshipMeta(): Record<string, Record<string, unknown>> | null {
    return null
  }

  /** The document of one relationship's own address: its linkage. */
  relationship(name: string): RelationshipDocument {
    return new RelationshipDocument(this, name)
  }

  override async serialize(): Promise<InferDocument<this>> {
    return (await buildDocument(this, this.selection)) as InferDocument<this>
  }
}

/** A list of resources of one class. A page of a paginator brings pagination meta and links. */
export class ResourceCollection<Item extends Resource> extends DocumentSource {
  readonly #page: ReturnType<typeof pageOf>

  /** @throws {InvalidArgumentsException} when the items are neither a list nor a page */
  constructor(
    readonly resourceClass: ResourceClass<Item>,
    readonly items: readonly unknown[] | Page<unknown> | CursorPage<unknown>
  ) {
    super()
    this.#page = pageOf(items)
    assertArgument(
      this.#page || Array.isArray(items),
      `${resourceClass.name}.collection needs a list or a paginator. A relation that is not ` +
        'loaded is neither: load it, or name the relationship after it.'
    )
  }

  override resources(): Item[] {
    return this.#models.map((item) => new this.resourceClass(item))
  }

  /** Models need no resource each, unless a class makes its own. */
  override primaryData(): RelationshipTarget {
    return this.resources === ResourceCollection.prototype.resources
      ? {
          isToMany: true,
          resources: null,
          unread: unreadRows(this.items),
          models: () => this.#models,
          resourceClass: this.resourceClass,
        }
      : super.primaryData()
  }

  get #models(): readonly unknown[] {
    return this.#page ? this.#page.all() : (this.items as readonly unknown[])
  }

  override get profile() {
    return this.#page?.profile ?? null
  }

  override toLinks(): Links | null | Promise<Links | null> {
    return this.#page?.links(this.request) ?? null
  }

  override toMeta(): Record<string, unknown> | null | Promise<Record<string, unknown> | null> {
    return this.#page?.meta() ?? null
  }

  override async serialize(): Promise<InferDocument<this>> {
    return (await buildDocument(this, this.selection)) as InferDocument<this>
  }
}

/**
 * The document of a relationship's own address: its linkage, and what is included with it (JSON:API
 * 1.1, Fetching Relationships). Include paths start with the name of the relationship.
 */
export class RelationshipDocument extends DocumentSource {
  constructor(
    private owner: DocumentSource & Resource,
    private name: string
  ) {
    super()
  }

  override get resourceClass() {
    return this.owner.resourceClass
  }

  override resources() {
    return this.owner.resources()
  }

  /** The address itself, and that of the related resources if the route has one. */
  override toLinks(): Links | null {
    const self = this.request?.url() ?? ''
    const related = self.replace(/\/relationships(\/[^/]+)$/, '$1')
    const hasRelated = !isMarked(this.request?.ctx?.route, lacksRelated)
    return related === self ? null : { self, ...(hasRelated && { related }) }
  }

  /** @throws {InvalidParameter} 400 for a path that does not start here or leads nowhere */
  override async serialize(): Promise<Document<Linkage>> {
    const { selection, name } = this
    const isBelow = selection.include?.every((path) => path.split('.', 1)[0] === name) ?? true
    assertParameter(isBelow, 'include', `Paths start with "${name}" here.`)
    const document = await buildDocument(this, selection, name)
    const { relationships } = document.data as ResourceObject
    return { ...document, data: relationships?.[name]?.data ?? null }
  }
}
