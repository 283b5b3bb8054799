import type { HttpRequest } from '@adonisjs/core/http'

import { type Fieldsets, addFields, readFields } from '#json_api/fields'
import { readInclude } from '#json_api/include'
import type { Document, Links, Resource, ResourceClass } from '#json_api/types'

/** What a resource and a collection have in common: they become a document. */
export abstract class Renderable {
  #include: string[] | null = null
  #fieldsets: Fieldsets = new Map()
  #isChained = false
  #request: HttpRequest | null = null

  /** The class of the primary data's resources. */
  abstract readonly resourceClass: ResourceClass

  /** The primary data: a list for collections, null when there is nothing. */
  abstract resources(): Resource | Resource[] | null

  /** Returns the document as a mapping. */
  abstract serialize(): Promise<Document<unknown>>

  /**
   * Side-loads relationships; dotted names nest: `author.company`. Unknown names
   * are refused when the document is made.
   */
  include(...names: string[]): this {
    this.#isChained = true
    this.#include = [...(this.#include ?? []), ...names]
    return this
  }

  /**
   * Restricts attributes: plain names those of the primary resources,
   * `type.field` those of a related type.
   */
  fields(...specs: string[]): this {
    this.#isChained = true
    for (const spec of specs) {
      const dot = spec.indexOf('.')
      const type = dot === -1 ? this.resourceClass.type : spec.slice(0, dot)
      addFields(this.#fieldsets, type, [spec.slice(dot + 1)])
    }
    return this
  }

  /**
   * Takes `include` and `fields[type]` from a request, unless a chain call was
   * made, and pagination links to its address.
   *
   * @throws {InvalidParameter} 400 for malformed parameters
   */
  forRequest(request: HttpRequest): this {
    this.#request = request
    if (this.#isChained) {
      return this
    }
    const query = request.qs()
    this.#include = readInclude(query)
    this.#fieldsets = new Map()
    for (const [type, names] of Object.entries(readFields(query) ?? {})) {
      addFields(this.#fieldsets, type, names)
    }
    return this
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
    return {}
  }

  /** What was asked for, by chain calls or by the request. */
  protected get selection() {
    return { include: this.#include, fieldsets: this.#fieldsets }
  }

  /** The request that the document answers, if any. */
  protected get request() {
    return this.#request
  }
}
