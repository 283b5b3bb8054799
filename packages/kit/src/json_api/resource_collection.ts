import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { unreadRows } from '#database/unread_page'
import { buildDocument } from '#json_api/document_builder'
import { type CursorPage, type Page, pageOf } from '#json_api/pagination'
import { DocumentSource } from '#json_api/document_source'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import type { InferDocument, Links, Resource, ResourceClass } from '#json_api/types'

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
    if (!this.#page && !Array.isArray(items)) {
      throw new InvalidArgumentsException(
        `${resourceClass.name}.collection needs a list or a paginator. A relation that is not ` +
          'loaded is neither: load it, or name the relationship after it.'
      )
    }
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
