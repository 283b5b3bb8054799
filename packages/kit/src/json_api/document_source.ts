import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpRequest } from '@adonisjs/core/http'

import { assertKind } from '#config/checks'
import { type Fieldsets, readFields, readInclude } from '#json_api/query_parameters'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import type { Document, Links, Resource, ResourceClass } from '#json_api/types'

/** The requested relationship paths (null without an include) and attributes. */
export interface Selection {
  include: string[] | null
  fieldsets: Fieldsets
}

/** The base of resources and collections: both become a document. */
export abstract class DocumentSource {
  /** What chain calls asked for. Members are declared only: a document makes thousands of resources. */
  declare private chained?: Selection
  declare protected request?: HttpRequest

  abstract readonly resourceClass: ResourceClass

  /** The primary data: a list for collections, null when there is nothing. */
  abstract resources(): Resource | Resource[] | null

  primaryData(): RelationshipTarget {
    const resources = this.resources()
    return {
      isToMany: Array.isArray(resources),
      resources: [resources ?? []].flat(),
      resourceClass: this.resourceClass,
    }
  }

  abstract serialize(): Promise<Document<unknown>>

  /** Side-loads relationships, like `author.company`. Unknown names are refused in `serialize`. */
  include(...names: string[]): this {
    assertKind('include()', 'names', names, 'texts, one by one')
    this.chain.include = [...(this.chain.include ?? []), ...names]
    return this
  }

  /** Restricts attributes: names of the primary resources, `type.field` of a related type. */
  fields(...specs: string[]): this {
    assertKind('fields()', 'names', specs, 'texts, one by one')
    const { fieldsets } = this.chain
    for (const spec of specs) {
      const dot = spec.indexOf('.')
      const type = dot === -1 ? this.resourceClass.type : spec.slice(0, dot)
      const fieldset = fieldsets.get(type) ?? new Set()
      fieldsets.set(type, fieldset.add(spec.slice(dot + 1)))
    }
    return this
  }

  /** Takes the selection, unless a chain call was made, and the address of links from a request. */
  forRequest(request: HttpRequest): this {
    this.request = request
    return this
  }

  /** The profile that the document follows, for its Content-Type. */
  get profile(): string | null {
    return null
  }

  toLinks(): Links | null | Promise<Links | null> {
    return null
  }

  toMeta(): Record<string, unknown> | null | Promise<Record<string, unknown> | null> {
    return null
  }

  /** Extra top-level keys, merged last: they take precedence over links and meta. */
  with(): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.with_()
  }

  /** The same under the name that the specification gives it. A class that overrides both merges `super.with()`. */
  with_(): Record<string, unknown> | Promise<Record<string, unknown>> {
    return {}
  }

  /**
   * A document is made asynchronously, so a resource inside of another value cannot become one.
   * @throws {RuntimeException} always: else the model would be sent as it is
   */
  toJSON(): never {
    throw new RuntimeException(
      `${this.constructor.name} cannot be part of another value: return it, or await its serialize()`
    )
  }

  private get chain(): Selection {
    return (this.chained ??= { include: null, fieldsets: new Map() })
  }

  /** @throws {InvalidParameter} 400 for malformed parameters of the request */
  protected get selection(): Selection {
    const query = this.request?.qs() ?? {}
    return this.chained ?? { include: readInclude(query), fieldsets: readFields(query) }
  }
}
