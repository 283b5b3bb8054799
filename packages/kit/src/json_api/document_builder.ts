import { RuntimeException } from '@adonisjs/core/exceptions'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { declarationIn, hasLoader } from '#json_api/declared_relationships'
import { DocumentNodes, type Node } from '#json_api/document_nodes'
import { InvalidParameter } from '#json_api/errors'
import type { Fieldsets } from '#json_api/fields'
import { type IncludeTree, unknownPath } from '#json_api/include'
import { DeclaredShapes, assertPaths } from '#json_api/include_paths'
import { type UrlFor, addOptionalMembers } from '#json_api/optional_members'
import {
  type DirectRelationship,
  directRelationship,
  linkDirectly,
  linkTarget,
} from '#json_api/linkage'
import { loadRelation } from '#json_api/relation_loader'
import {
  type RelationshipTarget,
  isReadFromModel,
  targetOfSource,
  targetOfValue,
} from '#json_api/relationship_target'
import { type ResourcePlan, relatedOf } from '#json_api/resource_plan'
import type {
  Relationship,
  RelationshipOptions,
  ResourceClass,
  ResourceObject,
} from '#json_api/types'

/** One relationship of all nodes of a level. */
interface Step {
  name: string
  nodes: Node[]
  /** Whether a path continues behind this relationship. */
  isFollowed: boolean
}

interface LoadGroup {
  load: NonNullable<RelationshipOptions['load']>
  nodes: Node[]
}

/**
 * Collects the resource objects of a document, with their linkage merged from
 * every path that reached them.
 */
export class DocumentBuilder {
  #shapes = new DeclaredShapes()
  #nodes: DocumentNodes
  /** How many objects the document may have. */
  #limit = Infinity
  #loaded = new Map<Node, Map<string, unknown>>()

  constructor(fieldsets: Fieldsets) {
    this.#nodes = new DocumentNodes(fieldsets, this.#shapes)
  }

  /** The resource objects in the order in which they were reached. */
  get objects(): ResourceObject[] {
    return this.#nodes.objects
  }

  /** The nodes of the primary data, one for each object. */
  addPrimary(target: RelationshipTarget): Node[] {
    return this.#nodes.add(target)
  }

  /**
   * Adds what the tree asks for, level by level: a relation is loaded for a
   * whole level at once.
   *
   * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
   */
  async expandPrimary(nodes: Node[], resourceClass: ResourceClass, tree: IncludeTree) {
    this.#limit = this.objects.length + resourceClass.maxIncluded
    await this.#expand(nodes, new Set([resourceClass]), tree, [])
  }

  /** Adds the optional members of resource objects, once all that was asked for is linked. */
  async complete() {
    const nodes = this.#nodes.withOptionalMembers
    if (nodes.length > 0) {
      /* Only here: a resource can be imported where no application has booted. */
      const { urlFor } = await import('@adonisjs/core/services/url_builder')
      nodes.forEach((node) => addOptionalMembers(node, urlFor as unknown as UrlFor))
    }
  }

  /**
   * @param classes further classes that the level may hold, besides those of its nodes;
   * null when the tree was validated already
   */
  async #expand(
    nodes: Node[],
    classes: Set<ResourceClass> | null,
    tree: IncludeTree,
    path: string[]
  ) {
    if (classes) {
      nodes.forEach(({ plan }) => classes.add(plan.resourceClass))
      assertPaths(this.#shapes, [...classes], tree, path)
    }
    if (nodes.length === 0) {
      return
    }
    this.#assertKnown(nodes, tree, path)
    for (const [name, branch] of tree) {
      const step = { name, nodes, isFollowed: branch.size > 0 }
      await this.#load(step)
      const { related, found } = await this.#linkAll(step)
      if (this.objects.length > this.#limit) {
        throw new InvalidParameter(
          'include',
          'That would be too many resources: ask for a smaller page.'
        )
      }
      if (step.isFollowed) {
        await this.#expand(related, found, branch, [...path, name])
      }
    }
  }

  /** Refuses a name that neither a class nor a node of the level declares. */
  #assertKnown(nodes: Node[], tree: IncludeTree, path: string[]) {
    if (nodes.every(({ plan }) => plan.shape !== null)) {
      return
    }
    for (const name of tree.keys()) {
      if (!nodes.some((node) => this.#declarationOf(node, name))) {
        throw unknownPath([...path, name])
      }
    }
  }

  /** The declaration of one node, as its class or its resource makes it. */
  #declarationOf(node: Node, name: string): Relationship | null {
    const declared = node.plan.declarationFor(name)
    return declared === undefined ? declarationIn(node.relationships, name) : declared
  }

  /** Loads what a level needs at once: a Lucid relation of the name, or what `load` fetches. */
  async #load({ name, nodes }: Step) {
    const rows: LucidRow[] = []
    const byPlan = new Map<ResourcePlan, LoadGroup>()
    for (const node of nodes) {
      const declaration = this.#declarationOf(node, name)
      if (declaration && hasLoader(declaration)) {
        if (!this.#loaded.get(node)?.has(name)) {
          const group = byPlan.get(node.plan) ?? { load: declaration.options.load!, nodes: [] }
          byPlan.set(node.plan, group)
          group.nodes.push(node)
        }
      } else if (declaration && node.source.rows?.lacks(node.source.row, name)) {
        rows.push(node.model)
      }
    }
    if (rows.length > 0) {
      await loadRelation(rows, name)
    }
    for (const group of byPlan.values()) {
      await this.#loadGroup(name, group)
    }
  }

  async #loadGroup(name: string, { load, nodes }: LoadGroup) {
    const values = await load(nodes.map(({ model }) => model))
    if (!Array.isArray(values) || values.length !== nodes.length) {
      throw new RuntimeException(
        `The relationship "${name}" has to load as many values as there are models`
      )
    }
    nodes.forEach((node, index) => {
      const loaded = this.#loaded.get(node) ?? new Map<string, unknown>()
      this.#loaded.set(node, loaded.set(name, values[index]))
    })
  }

  /**
   * Links one relationship of all nodes. Returns the related nodes, and the
   * classes that callables returned: the rest of the path is validated against
   * them.
   */
  async #linkAll({ name, nodes, isFollowed }: Step) {
    const before = this.objects.length
    const related: Node[] = []
    let found: Set<ResourceClass> | null = null

    const collected = isFollowed ? related : null
    let plan: ResourcePlan | null = null
    let direct: DirectRelationship | null = null
    for (const node of nodes) {
      if (node.plan !== plan) {
        plan = node.plan
        direct = directRelationship(this.#nodes, plan, name)
      }
      if (direct && linkDirectly(this.#nodes, direct, node, collected)) {
        continue
      }
      const pending = this.#targetOf(node, name)
      const target = pending instanceof Promise ? await pending : pending
      if (target) {
        linkTarget(this.#nodes, target, { object: node.object, name }, collected)
      }
      if (node.plan.declarationFor(name) === undefined) {
        found ??= new Set()
        target?.resourceClass && found.add(target.resourceClass)
      }
    }
    return { related: this.#nodes.distinct(related, before), found }
  }

  #targetOf(
    node: Node,
    name: string
  ): RelationshipTarget | null | Promise<RelationshipTarget | null> {
    const { source, plan } = node
    const declaration = this.#declarationOf(node, name)
    if (!declaration) {
      return null
    }
    if (isReadFromModel(declaration)) {
      let value: unknown
      if (hasLoader(declaration)) {
        value = this.#loaded.get(node)!.get(name)
      } else {
        value = relatedOf(source, name)
      }
      return targetOfValue(declaration, value, plan.resourceClass, name)
    }
    const value: unknown = typeof declaration === 'function' ? declaration() : declaration
    const finish = (settled: unknown) => targetOfSource(settled, plan.resourceClass, name)
    return value instanceof Promise ? value.then(finish) : finish(value)
  }
}
