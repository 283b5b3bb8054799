import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { buildDocument } from '#json_api/document'
import { CURSOR_PROFILE, CursorPage } from '#json_api/cursor_page'
import { type Page, isPage, pageLinks, pageMeta } from '#json_api/pagination'
import { DocumentSource } from '#json_api/document_source'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import type { InferDocument, Links, Resource, ResourceClass } from '#json_api/types'

/**
 * A list of resources of one class. A page of a paginator brings pagination
 * meta and links. Extend it for other top-level members.
 */
export class ResourceCollection<Item extends Resource> extends DocumentSource {
  /** @throws {InvalidArgumentsException} when the items are neither a list nor a page */
  constructor(
    readonly resourceClass: ResourceClass<Item>,
    readonly items: readonly unknown[] | Page<unknown> | CursorPage<unknown>
  ) {
    super()
    if (!Array.isArray(items) && !isPage(items)) {
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
          models: this.#models,
          resourceClass: this.resourceClass,
        }
      : super.primaryData()
  }

  get #models(): readonly unknown[] {
    return isPage(this.items) ? this.items.all() : this.items
  }

  override get profile() {
    return this.items instanceof CursorPage ? CURSOR_PROFILE : null
  }

  override toLinks(): Links | null | Promise<Links | null> {
    if (this.items instanceof CursorPage) {
      return this.items.links(this.request)
    }
    return isPage(this.items) ? pageLinks(this.items, this.request) : null
  }

  override toMeta(): Record<string, unknown> | null | Promise<Record<string, unknown> | null> {
    if (this.items instanceof CursorPage) {
      return this.items.meta()
    }
    return isPage(this.items) ? pageMeta(this.items) : null
  }

  override async serialize(): Promise<InferDocument<this>> {
    return (await buildDocument(this, this.selection)) as InferDocument<this>
  }
}
