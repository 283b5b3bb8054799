import { buildDocument } from '#json_api/document_builder'
import { DocumentSource } from '#json_api/document_source'
import { InvalidParameter } from '#json_api/errors'
import type { Document, Linkage, Links, Resource, ResourceObject } from '#json_api/types'

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

  /** The address itself, and that of the related resources. */
  override toLinks(): Links | null {
    const self = this.request?.url()
    const related = self?.replace(/\/relationships(\/[^/]+)$/, '$1')
    return self && related && related !== self ? { self, related } : null
  }

  /** @throws {InvalidParameter} 400 for a path that does not start here or leads nowhere */
  override async serialize(): Promise<Document<Linkage>> {
    const { include, fieldsets } = this.selection
    if (include?.some((path) => path.split('.', 1)[0] !== this.name)) {
      throw new InvalidParameter('include', `Paths start with "${this.name}" here.`)
    }
    const { data, included, ...rest } = await buildDocument(this, {
      include: [this.name, ...(include ?? [])],
      fieldsets,
    })
    const { relationships } = data as ResourceObject
    return {
      data: relationships?.[this.name]?.data ?? null,
      ...(include && { included }),
      ...rest,
    }
  }
}
