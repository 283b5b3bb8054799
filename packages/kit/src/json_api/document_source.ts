import { RuntimeException } from '@adonisjs/core/exceptions'
import type { HttpRequest } from '@adonisjs/core/http'

import { type Fieldsets, readFields } from '#json_api/fields'
import { readInclude } from '#json_api/include'
import type { RelationshipTarget } from '#json_api/declared_relationships'
import type { Document, Links, Resource, ResourceClass } from '#json_api/types'

/** The requested relationship paths (null without an include) and attributes. */
export interface Selection {
  include: string[] | null
  fieldsets: Fieldsets
}

/** The base of resources and collections: both become a document. */
export abstract class DocumentSource {
  /* Left undefined until they are needed: a document makes thousands of resources. */

  /** What chain calls asked for. */
  declare private chained?: Selection

  /** The request that the document answers. */
  declare protected request?: HttpRequest

  /** The class of the primary data's resources. */
  abstract readonly resourceClass: ResourceClass

  /** The primary data: a list for collections, null when there is nothing. */
  abstract resources(): Resource | Resource[] | null

  /** The primary data in the form of what a relationship leads to. */
  primaryData(): RelationshipTarget {
    const resources = this.resources()
    return {
      isToMany: Array.isArray(resources),
      resources: [resources ?? []].flat(),
      resourceClass: this.resourceClass,
    }
  }

  /** Returns the document as a mapping. */
  abstract serialize(): Promise<Document<unknown>>

  /**
   * Side-loads relationships; dotted names nest: `author.company`. Unknown names
   * are refused when the document is made.
   */
  include(...names: string[]): this {
    const { chain } = this
    chain.include = [...(chain.include ?? []), ...names]
    return this
  }

  /**
   * Restricts attributes: plain names those of the primary resources,
   * `type.field` those of a related type.
   */
  fields(...specs: string[]): this {
    const { fieldsets } = this.chain
    for (const spec of specs) {
      const dot = spec.indexOf('.')
      const type = dot === -1 ? this.resourceClass.type : spec.slice(0, dot)
      const fieldset = fieldsets.get(type) ?? new Set()
      fieldsets.set(type, fieldset.add(spec.slice(dot + 1)))
    }
    return this
  }

  /**
   * Takes `include` and `fields[type]` from a request, unless a chain call was
   * made, and the address of pagination links.
   */
  forRequest(request: HttpRequest): this {
    this.request = request
    return this
  }

  /** The profile that the document follows, for its Content-Type. */
  get profile(): string | null {
    return null
  }

  /** Top-level links. */
  toLinks(): Links | null | Promise<Links | null> {
    return null
  }

  /** Top-level meta. */
  toMeta(): Record<string, unknown> | null | Promise<Record<string, unknown> | null> {
    return null
  }

  /** Extra top-level keys, merged last: they take precedence over links and meta. */
  with(): Record<string, unknown> | Promise<Record<string, unknown>> {
    return this.with_()
  }

  /** The same under the name that the specification gives it. */
  with_(): Record<string, unknown> | Promise<Record<string, unknown>> {
    return {}
  }

  /**
   * A document is made asynchronously, so a resource inside of another value
   * cannot become one.
   *
   * @throws {RuntimeException} always: else the model would be sent as it is
   */
  toJSON(): never {
    throw new RuntimeException(
      `${this.constructor.name} cannot be part of another value: return it, or await its serialize()`
    )
  }

  private get chain(): Selection {
    return (this.chained ??= readSelection({}))
  }

  /**
   * What is asked for, by chain calls or else by the request.
   *
   * @throws {InvalidParameter} 400 for malformed parameters
   */
  protected get selection(): Selection {
    return this.chained ?? readSelection(this.request?.qs() ?? {})
  }
}

function readSelection(query: Record<string, unknown>): Selection {
  return { include: readInclude(query), fieldsets: readFields(query) }
}
