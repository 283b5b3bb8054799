import { RuntimeException } from '@adonisjs/core/exceptions'
import type { LucidRow } from '@adonisjs/lucid/types/model'

import { declarationIn, hasLoader } from '#json_api/declared_relationships'
import type { Fieldsets } from '#json_api/fields'
import { type IncludeTree, unknownPath } from '#json_api/include'
import { DeclaredShapes, assertPaths } from '#json_api/include_paths'
import { addOptionalMembers } from '#json_api/optional_members'
import { loadRelation } from '#json_api/relation_loader'
import {
  type RelationshipTarget,
  isReadFromModel,
  targetOfSource,
  targetOfValue,
} from '#json_api/relationship_target'
import { type Node, type NodesById, ResourcePlan, identifierOf } from '#json_api/resource_plan'
import type {
  Relationship,
  RelationshipOptions,
  Resource,
  ResourceClass,
  ResourceIdentifier,
  ResourceObject,
} from '#json_api/types'

/** One relationship of all nodes of a level. */
interface Step {
  name: string
  nodes: Node[]
  /** Whether somebody follows the path further. */
  isFollowed: boolean
}

interface LoadGroup {
  load: NonNullable<RelationshipOptions['load']>
  nodes: Node[]
}

/**
 * Collects resource objects: each type and id once, primary data counted, with
 * its linkage merged from every path that reached it.
 */
export class DocumentBuilder {
  #plans = new Map<ResourceClass, ResourcePlan>()
  #byType = new Map<string, NodesById>()
  #shapes = new DeclaredShapes()
  #loaded = new Map<Node, Map<string, unknown>>()

  #nodes: Node[] = []

  /** The resource objects in the order in which they were reached. */
  readonly objects: ResourceObject[] = []

  constructor(private fieldsets: Fieldsets) {}

  /** The nodes of the primary data, one for each object. */
  addPrimary(target: RelationshipTarget): Node[] {
    return this.#add(target)
  }

  /**
   * Adds what the tree asks for, level by level: a relation is loaded for a
   * whole level at once.
   *
   * @throws {InvalidParameter} 400 for a relationship path that leads nowhere
   */
  async expandPrimary(nodes: Node[], resourceClass: ResourceClass, tree: IncludeTree) {
    await this.#expand(nodes, new Set([resourceClass]), tree, [])
  }

  /** Adds the optional members of every resource object, once all that was asked for is linked. */
  complete() {
    this.#nodes.forEach(addOptionalMembers)
  }

  /**
   * @param classes what else the level could have held, besides the nodes' own;
   * null when the tree was judged already
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
    for (const name of tree.keys()) {
      this.#assertKnown(nodes, name, path)
    }
    for (const [name, branch] of tree) {
      const step = { name, nodes, isFollowed: branch.size > 0 }
      await this.#load(step)
      const { related, found } = await this.#linkAll(step)
      if (step.isFollowed) {
        await this.#expand(related, found, branch, [...path, name])
      }
    }
  }

  /** Refuses a name that no class of a level can vouch for, and no node either. */
  #assertKnown(nodes: Node[], name: string, path: string[]) {
    const depends = nodes.some(({ plan }) => plan.shape === null)
    if (depends && !nodes.some((node) => this.#declarationOf(node, name))) {
      throw unknownPath([...path, name])
    }
  }

  /** The declaration of one node, as its class or its resource makes it. */
  #declarationOf(node: Node, name: string): Relationship | null {
    const declared = node.plan.declarationFor(name)
    return declared === undefined ? declarationIn(node.plan.relationshipsOf(node), name) : declared
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
      } else if (declaration && node.rows?.lacks(node.resource.resource, name)) {
        rows.push(node.resource.resource)
      }
    }
    await loadRelation(rows, name)
    for (const group of byPlan.values()) {
      await this.#loadGroup(name, group)
    }
  }

  async #loadGroup(name: string, { load, nodes }: LoadGroup) {
    const values = await load(nodes.map(({ resource }) => resource.resource))
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
   * Links one relationship of all nodes. Returns what it leads to, and the classes
   * that only running it could tell: what follows is to be judged by them.
   */
  async #linkAll({ name, nodes, isFollowed }: Step) {
    const before = this.objects.length
    const related: Node[] = []
    let found: Set<ResourceClass> | null = null

    for (const node of nodes) {
      const declaration = this.#declarationOf(node, name)
      if (!declaration) {
        continue
      }
      const pending = this.#targetOf(node, declaration, name)
      const target = pending instanceof Promise ? await pending : pending
      const linked = target ? this.#link(node.object, name, target) : []
      if (isFollowed) {
        for (const one of linked) {
          related.push(one)
        }
      }
      if (node.plan.declarationFor(name) === undefined) {
        found ??= new Set()
        target?.resourceClass && found.add(target.resourceClass)
      }
    }
    return { related: this.#distinct(related, before), found }
  }

  #targetOf(
    node: Node,
    declaration: Relationship,
    name: string
  ): RelationshipTarget | null | Promise<RelationshipTarget | null> {
    const { resource, rows } = node
    if (isReadFromModel(declaration)) {
      let value: unknown
      if (hasLoader(declaration)) {
        value = this.#loaded.get(node)!.get(name)
      } else {
        value = rows ? rows.related(resource.resource, name) : resource.resource[name]
      }
      return targetOfValue(declaration, value, resource, name)
    }
    const value: unknown = typeof declaration === 'function' ? declaration() : declaration
    const finish = (settled: unknown) => targetOfSource(settled, resource, name)
    return value instanceof Promise ? value.then(finish) : finish(value)
  }

  /**
   * Merges linkage into a resource object and returns the nodes that it leads
   * to. What another path linked stays, and a to-one relationship leads to one
   * resource: nothing is included without a link to it.
   */
  #link(object: ResourceObject, name: string, target: RelationshipTarget): Node[] {
    const relationships = (object.relationships ??= {})
    const linkage = relationships[name]?.data

    if (!target.isToMany && linkage) {
      return [linkage].flat().map(({ type, id }) => this.#byType.get(type)!.get(id)!)
    }

    const nodes = this.#add(target)
    if (target.isToMany) {
      const identifiers = nodes.map(identifierOf)
      relationships[name] = {
        data: linkage ? union([linkage].flat(), identifiers) : identifiers,
      }
    } else {
      relationships[name] = { data: nodes.length > 0 ? identifierOf(nodes[0]!) : null }
    }
    return nodes
  }

  /** The nodes of what a relationship leads to, one for each object. */
  #add(target: RelationshipTarget): Node[] {
    const before = this.objects.length
    if (target.resources) {
      const nodes = target.resources.map((resource) =>
        this.#addResource(this.#plan(resource.resourceClass), resource)
      )
      return this.#distinct(nodes, before)
    }
    const plan = this.#plan(target.resourceClass)
    const nodes = target.models.map((model) => this.#addModel(plan, model))
    return this.#distinct(nodes, before)
  }

  /** The node of a model. One that was met before needs no new resource. */
  #addModel(plan: ResourcePlan, model: unknown): Node {
    let node = plan.byModel.get(model)
    if (!node) {
      node = this.#addResource(plan, new plan.resourceClass(model) as Resource)
      plan.byModel.set(model, node)
    }
    return node
  }

  /**
   * The node of a resource. The first resource of a type and id gives the
   * attributes, and is asked for relationships that another of its class
   * reaches: what it has loaded is not loaded again.
   */
  #addResource(plan: ResourcePlan, resource: Resource): Node {
    const rows = plan.readerOf(resource.resource)
    const id = plan.idOf(resource, rows)
    const known = plan.byId.get(id)
    if (known) {
      return known.plan === plan ? known : { plan, resource, rows, object: known.object }
    }
    const attributes = plan.attributesOf(resource, rows)
    const node: Node = { plan, resource, rows, object: { type: plan.type, id, attributes } }
    plan.byId.set(id, node)
    this.objects.push(node.object)
    this.#nodes.push(node)
    return node
  }

  #plan(resourceClass: ResourceClass): ResourcePlan {
    let plan = this.#plans.get(resourceClass)
    if (!plan) {
      const { type } = resourceClass
      const byId = this.#byType.get(type) ?? new Map<string, Node>()
      this.#byType.set(type, byId)
      const shape = this.#shapes.of(resourceClass)
      plan = new ResourcePlan(resourceClass, shape, byId, this.fieldsets.get(type))
      this.#plans.set(resourceClass, plan)
    }
    return plan
  }

  /** Each object once. Objects that were all added since cannot be there twice. */
  #distinct(nodes: Node[], objectsBefore: number): Node[] {
    const areNew = this.objects.length - objectsBefore === nodes.length
    if (areNew || nodes.length < 2) {
      return nodes
    }
    const byObject = new Map<ResourceObject, Node>()
    for (const node of nodes) {
      byObject.has(node.object) || byObject.set(node.object, node)
    }
    return [...byObject.values()]
  }
}

function union(known: ResourceIdentifier[], more: ResourceIdentifier[]) {
  const keys = new Set(known.map(({ type, id }) => `${type} ${id}`))
  return [...known, ...more.filter(({ type, id }) => !keys.has(`${type} ${id}`))]
}
