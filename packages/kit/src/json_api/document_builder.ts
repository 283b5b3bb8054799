import { setImmediate as nextTurn } from 'node:timers/promises'

import { RuntimeException } from '@adonisjs/core/exceptions'

import {
  DeclaredRelationship,
  declarationIn,
  resourceOf,
  targetOfSource,
  assertKnown,
  assertPaths,
} from '#json_api/declared_relationships'
import { type Node, type Reached, groupedBy, isMany } from '#json_api/document_node'
import { DocumentNodes } from '#json_api/document_nodes'
import { InvalidParameter, JsonApiError } from '#json_api/errors'
import type { DocumentSource, Selection } from '#json_api/document_source'
import { type IncludeTree, includeTree } from '#json_api/query_parameters'
import { toJson } from '#json_api/json'
import { RelatedRows } from '#json_api/lucid_relations'
import { type UrlFor, addOptionalMembers } from '#json_api/optional_members'
import type { ResourcePlan } from '#json_api/resource_plan'
import type { Document, ResourceClass, ResourceObject } from '#json_api/types'

/** Nodes that are linked before other requests have a turn. */
const CHUNK = 500

/**
 * The document of a resource or a collection (JSON:API 1.1, Document Structure).
 * @param linkage name of the relationship whose linkage it is for: it is followed without an include
 * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
 */
export async function buildDocument(
  source: DocumentSource,
  { include, fieldsets }: Selection,
  linkage?: string
): Promise<Document> {
  const { resourceClass } = source
  const builder = new DocumentBuilder(new DocumentNodes(fieldsets), linkage)
  const target = source.primaryData()
  const paths = linkage === undefined ? include : [linkage, ...(include ?? [])]
  const tree = paths && includeTree(paths, resourceClass.maxIncludeDepth)
  const nodes = builder.nodes.add(target)
  const { length } = builder.nodes.all

  if (tree) {
    builder.limit = length + resourceClass.maxIncluded
    await builder.expand(nodes, new Set([resourceClass]), tree, [])
  }

  const included = await builder.objects()
  const data = included.splice(0, length)
  return {
    data: target.isToMany ? data : (data[0] ?? null),
    ...(include && { included }),
    ...((target.isToMany || length > 0) && (await topLevel(source))),
  }
}

async function topLevel(source: DocumentSource) {
  const links = await source.toLinks()
  const meta = await source.toMeta()
  const extras = await source.with()
  return toJson({ ...(links && { links }), ...(meta && { meta }), ...extras }) as Partial<Document>
}

/** Collects the resource objects, with their linkage merged from every path that reached them. */
class DocumentBuilder {
  limit = Infinity

  constructor(
    readonly nodes: DocumentNodes,
    private linkage: string | undefined
  ) {}

  async objects(): Promise<ResourceObject[]> {
    const hasRoutes = this.nodes.all.some(({ plan }) => plan.resourceClass.route !== null)
    /* Only then: documents without links can be made where no application has booted. */
    const url = hasRoutes ? await import('@adonisjs/core/services/url_builder') : null
    return this.nodes.all.map((node) => {
      const { plan, object } = node
      plan.hasOptionalMembers && addOptionalMembers(node, object, url?.urlFor as unknown as UrlFor)
      return object
    })
  }

  /**
   * Adds what the tree asks for, level by level: a relation is loaded for a whole level at once.
   * @param classes further classes that the level may hold; null when the tree was validated already
   */
  async expand(
    nodes: readonly Node[],
    classes: Set<ResourceClass> | null,
    tree: IncludeTree,
    path: string[]
  ) {
    const groups = groupedBy(nodes, ({ plan }) => plan)
    if (classes) {
      groups.forEach((_, plan) => classes.add(plan.resourceClass))
      assertPaths(this.nodes.shapes, [...classes], tree, path)
    }
    if (nodes.length === 0) {
      return
    }
    assertKnown(groups, tree, path)
    for (const [name, branch] of tree) {
      const before = this.nodes.all.length
      const step: Step = { name, related: branch.size > 0 ? [] : null, found: null }
      for (const [plan, group] of groups) {
        await this.#follow(plan, group, step)
      }
      if (this.nodes.all.length > this.limit) {
        throw this.#tooMany(path)
      }
      if (step.related) {
        const related = this.nodes.distinct(step.related, before)
        await this.expand(related, step.found, branch, [...path, name])
      }
    }
  }

  /** Of a linkage that is too long by itself, no parameter of the query is the source. */
  #tooMany({ length }: readonly string[]): JsonApiError {
    if (this.linkage === undefined || length > 0) {
      const detail = 'That would be too many resources: ask for a smaller page.'
      return new InvalidParameter('include', detail)
    }
    const detail = `"${this.linkage}" leads to too many resources to name all: ask for pages of the related resources.`
    return new JsonApiError({ status: 400, code: 'too_many_resources', detail })
  }

  async #follow(plan: ResourcePlan, nodes: readonly Node[], step: Step) {
    const { name } = step
    const way = plan.wayOf(name)
    if (way === null) {
      return
    }
    const { linked } = plan.siblings
    const isAgain = linked.has(name)
    linked.add(name)
    const isNew = (node: Node) => !isAgain || node.reachedBefore(name) === undefined
    await this.nodes.readRelated(plan, isAgain ? nodes.filter(isNew) : nodes, name)
    for (let start = 0; start < nodes.length; start += CHUNK) {
      const chunk = nodes.slice(start, start + CHUNK)
      for (const node of way ? [] : chunk.filter(isNew)) {
        const pending = this.#run(node, step)
        node.related = pending instanceof Promise ? await pending : pending
      }
      this.#link(chunk, step, way, isAgain)
      chunk.length === CHUNK && (await nextTurn())
    }
  }

  #link(
    nodes: readonly Node[],
    { name, related }: Step,
    way: DeclaredRelationship | undefined,
    isAgain: boolean
  ) {
    const plan = way && this.#planOf(way)
    for (const node of nodes) {
      let reached = isAgain ? node.reachedBefore(name) : undefined
      if (reached === undefined) {
        reached = way ? this.#reach(node, name, way, plan) : (node.related as Reached | undefined)
        if (reached === undefined) {
          continue
        }
        node.link(name, reached)
      }
      if (related && reached) {
        for (const one of isMany(reached) ? reached : [reached]) {
          related.push(one)
        }
      }
    }
  }

  /** Undefined when it is left out. @throws {RuntimeException} for a value that it cannot have */
  #reach(
    node: Node,
    name: string,
    declaration: DeclaredRelationship,
    plan = this.#planOf(declaration)
  ): Reached | undefined {
    const value = node.related
    if (value instanceof RelatedRows) {
      return this.nodes.addRows(value)
    }
    const { isToMany } = declaration
    const isNothing = value === null || value === undefined
    const isList = Array.isArray(value)
    if (isToMany !== null && isToMany !== isList && !(isNothing && !isToMany)) {
      const problem = isToMany ? 'needs a list' : 'leads to one resource, not to a list'
      throw new RuntimeException(`${describe(node, name)} ${problem}`)
    }
    if (isNothing) {
      return isToMany === null ? undefined : null
    }
    if (plan === null) {
      const resources = [value].flat().map((item) => resourceOf(declaration, item))
      const nodes = this.nodes.addResources(resources)
      return isList ? nodes : nodes[0]!
    }
    return isList ? this.nodes.addModels(plan, value) : this.nodes.addOne(plan, value)
  }

  /** The plan of what all models of a relationship are; null when they are of several classes. */
  #planOf({ resourceClass }: DeclaredRelationship) {
    return resourceClass && this.nodes.of(resourceClass)
  }

  /**
   * Where a relationship leads that each resource declares, or a callable makes. The classes that
   * callables return are found: the rest of the path is validated against them.
   */
  #run(node: Node, step: Step): Reached | undefined | Promise<Reached | undefined> {
    const { name } = step
    const found = (step.found ??= new Set())
    const declaration = declarationIn(node.declared, name)
    if (declaration instanceof DeclaredRelationship) {
      declaration.resourceClass && found.add(declaration.resourceClass)
      return this.#reach(node, name, declaration)
    }
    if (!declaration) {
      return undefined
    }
    const finish = (result: unknown) => {
      const target = targetOfSource(result, describe(node, name))
      target.resourceClass && found.add(target.resourceClass)
      const nodes = this.nodes.add(target)
      return target.isToMany ? nodes : (nodes[0] ?? null)
    }
    const value: unknown = typeof declaration === 'function' ? declaration() : declaration
    return value instanceof Promise ? value.then(finish) : finish(value)
  }
}

/** One relationship that nodes of a level are followed by. */
interface Step {
  name: string
  /** Collects what it leads to; null when the path ends here. */
  related: Node[] | null
  /** The classes that callables returned; null when there were no callables. */
  found: Set<ResourceClass> | null
}

function describe({ plan }: Node, name: string) {
  return `The relationship "${name}" of ${plan.resourceClass.name}`
}
