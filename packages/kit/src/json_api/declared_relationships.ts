import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { assertArgument, assertRuntime } from '#config/checks'
import type { Unhydrated } from '#database/quick_query'
import type { Node } from '#json_api/document_node'
import { DocumentSource } from '#json_api/document_source'
import { type IncludeTree, unknownPath } from '#json_api/query_parameters'
import type { ResourcePlan } from '#json_api/resource_plan'
import type { RelationshipOptions, Relationships, Resource, ResourceClass } from '#json_api/types'
import { ownMember } from '#process/objects'

/** The classes of a relationship: one, several for a polymorphic one, or a function that returns them. */
type Classes = ResourceClass | readonly ResourceClass[]

/**
 * A relationship whose classes are known without a model, read from the model or loaded for it. A
 * bare class may hold one or a list, and is left out when there is nothing.
 */
export class DeclaredRelationship<IsToMany extends boolean | null = boolean | null> {
  #classes?: readonly ResourceClass[]

  constructor(
    readonly isToMany: IsToMany,
    private declared: Classes | (() => Classes),
    readonly options: RelationshipOptions
  ) {}

  get classes(): readonly ResourceClass[] {
    return (this.#classes ??= this.#resolve())
  }

  /** The class, unless there are several. Every model asks. */
  get resourceClass(): ResourceClass | null {
    return this.classes.length === 1 ? this.classes[0]! : null
  }

  #resolve(): readonly ResourceClass[] {
    const { declared } = this
    const isFunction = typeof declared === 'function' && !isResourceClass(declared)
    const classes = [isFunction ? (declared as () => Classes)() : (declared as Classes)].flat()
    const areClasses = classes.length > 0 && classes.every(isResourceClass)
    assertArgument(areClasses, 'toOne and toMany need classes of resources')
    return classes
  }
}

/**
 * Declares a relationship to one resource, null when there is none:
 *
 *     toOne(() => UserResource)
 *     toOne([UserResource, TeamResource], { resourceFor: (owner) => … })
 *
 * It is read from the model's property of its name; a Lucid relation is loaded for all resources of
 * a level at once, unless `load` fetches them.
 */
export function toOne(declared: Classes | (() => Classes), options: RelationshipOptions = {}) {
  return new DeclaredRelationship(false, declared, options)
}

/** Declares a relationship to a list of resources, of one class or of several: see `toOne`. */
export function toMany(declared: Classes | (() => Classes), options: RelationshipOptions = {}) {
  return new DeclaredRelationship(true, declared, options)
}

export function isResourceClass(value: unknown): value is ResourceClass {
  return typeof value === 'function' && value.prototype instanceof DocumentSource
}

/** A declaration as it is followed; null for a name that is not declared. */
export type Declaration = Exclude<Relationships[string], ResourceClass> | null

/** The declaration of a name; inherited properties are ignored. */
export function declarationIn(relationships: Relationships | null, name: string): Declaration {
  const declared = ownMember(relationships, name) ?? null
  return isResourceClass(declared) ? new DeclaredRelationship(null, declared, {}) : declared
}

/** The classes that a declaration leads to; null for a callable, whose result alone tells. */
export function classesOf(declaration: Declaration): readonly ResourceClass[] | null {
  if (declaration instanceof DeclaredRelationship) {
    return declaration.classes
  }
  return declaration instanceof DocumentSource ? [declaration.resourceClass] : null
}

/** Whether a relationship is to many; null where its kind is not known. */
export function isToManyOf(declared: Declaration): boolean | null {
  return declared instanceof DeclaredRelationship ? declared.isToMany : null
}

export interface Shape {
  relationships: Relationships
  /** A resource of the class that has no model: its hooks can be looked at, not called. */
  sample: Resource
}

const readsModel = new WeakSet<object>()

/* One function for all samples: V8 keeps what the accessors of an object close over until a full collection. */
const NO_MODEL: PropertyDescriptor = {
  get(this: object) {
    readsModel.add(this)
    const fault = `${this.constructor.name}.toRelationships() depends on its model`
    throw new InvalidArgumentsException(fault)
  },
}

/** The static members of `JsonResource`. */
const STATIC = [
  ...['type', 'hidden', 'renamed', 'route', 'relationshipLinks', 'linkage'],
  ...['maxIncludeDepth', 'maxIncluded'],
]

/**
 * Nobody reads them of a resource: without this check, a field `hidden` would hide nothing.
 * @throws {InvalidArgumentsException} for a class that gives a static member to each of its resources
 */
function assertStatic({ name }: ResourceClass, sample: Resource): void {
  const misplaced = STATIC.find((member) => member in sample)
  assertArgument(!misplaced, `${name}: write "static" in front of "${misplaced}"`)
}

/**
 * What a class declares, whatever its model: what `toRelationships()` returns when it reads none.
 * It is the only hook that is ever called without a model. Null when it depends on the model.
 * @throws {InvalidArgumentsException} as `assertStatic` does
 */
export function shapeOf(resourceClass: ResourceClass): Shape | null {
  let sample: Resource | undefined
  let relationships: Relationships | undefined
  try {
    sample = new resourceClass(null) as Resource
    Object.defineProperty(sample, 'resource', NO_MODEL)
    relationships = sample.toRelationships() ?? {}
  } catch {
    /* Whatever was thrown here is thrown again as soon as there is a model to ask. */
  }
  if (sample) {
    assertStatic(resourceClass, sample)
  }
  return sample && relationships && !readsModel.has(sample) ? { relationships, sample } : null
}

export function declarationOf(resourceClass: ResourceClass, name: string): Declaration {
  return declarationIn(shapeOf(resourceClass)?.relationships ?? null, name)
}

/** What a relationship of one resource leads to: resources, or models of a class of resources. */
export type RelationshipTarget = { isToMany: boolean } & (
  | { resources: readonly Resource[]; resourceClass: ResourceClass | null }
  | {
      resources: null
      /** Rows of the models that nobody has looked at. */
      unread: Unhydrated | undefined
      models(): readonly unknown[]
      resourceClass: ResourceClass
    }
)

/**
 * What a resource, or what a callable returned, leads to.
 * @throws {RuntimeException} when it is neither a resource nor a collection
 */
export function targetOfSource(value: unknown, described: string): RelationshipTarget {
  if (value === null || value === undefined) {
    return { isToMany: false, resources: [], resourceClass: null }
  }
  if (Array.isArray(value) && value.every((item) => item instanceof DocumentSource)) {
    const resources = value.flatMap((item) => item.resources() ?? [])
    return { isToMany: true, resources, resourceClass: null }
  }
  const isSource = value instanceof DocumentSource
  assertRuntime(isSource, `${described} is neither a resource nor a collection`)
  return value.primaryData()
}

/** The resource of one item of a relationship to several classes, which may be a resource itself. */
export function resourceOf({ options, classes }: DeclaredRelationship, item: unknown): Resource {
  if (item instanceof DocumentSource) {
    return item as unknown as Resource
  }
  const resourceClass = options.resourceFor?.(item)
  const fault =
    'A relationship to several classes of resources needs "resourceFor", which returns one of them'
  assertArgument(resourceClass && classes.includes(resourceClass), fault)
  return new resourceClass(item)
}

/**
 * Refuses paths that classes of resources do not know, before anything is loaded or written
 * (JSON:API 1.1, Inclusion of Related Resources). A relationship to several classes has to be known
 * to one of them.
 *
 * What the classes do not tell is accepted here, and validated when the models are known: a name,
 * where `toRelationships()` depends on the model, and a path through a callable.
 * @throws {InvalidParameter} 400
 */
export function assertPaths(
  shapes: typeof shapeOf,
  classes: readonly ResourceClass[],
  tree: IncludeTree,
  path: readonly string[] = []
) {
  if (tree.size === 0 || classes.length === 0) {
    return
  }
  const declared = classes.map((resourceClass) => shapes(resourceClass)?.relationships ?? null)
  for (const [name, branch] of tree) {
    const declarations = declared.flatMap((shape) => declarationIn(shape, name) ?? [])
    if (declarations.length === 0 && !declared.includes(null)) {
      throw unknownPath([...path, name])
    }
    const next = declarations.map(classesOf)
    if (branch.size > 0 && !next.includes(null) && !declared.includes(null)) {
      assertPaths(shapes, [...new Set(next.flatMap((some) => some!))], branch, [...path, name])
    }
  }
}

/** Refuses a name that neither a class nor a node of the level declares. */
export function assertKnown(
  groups: ReadonlyMap<ResourcePlan, readonly Node[]>,
  tree: IncludeTree,
  path: string[]
) {
  if ([...groups.keys()].every(({ shape }) => shape !== null)) {
    return
  }
  const isDeclared = ([plan, nodes]: [ResourcePlan, readonly Node[]], name: string) =>
    plan.shape
      ? declarationIn(plan.shape, name)
      : nodes.some((node) => declarationIn(node.declared, name))
  for (const name of tree.keys()) {
    if (![...groups].some((group) => isDeclared(group, name))) {
      throw unknownPath([...path, name])
    }
  }
}
