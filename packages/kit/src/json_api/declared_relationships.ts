import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'

import { DocumentSource } from '#json_api/document_source'
import type {
  ReadFromModel,
  Relationship,
  RelationshipOptions,
  Relationships,
  Resource,
  ResourceClass,
} from '#json_api/types'

/** The classes of a relationship: one, several for a polymorphic one, or a function that returns them. */
type Classes = ResourceClass | readonly ResourceClass[]

/** A relationship whose classes are known without a model: see `toOne` and `toMany`. */
export class DeclaredRelationship<IsToMany extends boolean = boolean> {
  #classes?: readonly ResourceClass[]

  constructor(
    readonly isToMany: IsToMany,
    private declared: Classes | (() => Classes),
    readonly options: RelationshipOptions
  ) {}

  /** @throws {InvalidArgumentsException} for anything but classes of resources */
  get classes(): readonly ResourceClass[] {
    return (this.#classes ??= this.#resolve())
  }

  #resolve(): readonly ResourceClass[] {
    const { declared } = this
    const isFunction = typeof declared === 'function' && !isResourceClass(declared)
    const classes = [isFunction ? (declared as () => Classes)() : (declared as Classes)].flat()
    if (classes.length === 0 || !classes.every(isResourceClass)) {
      throw new InvalidArgumentsException('toOne and toMany need classes of resources')
    }
    return classes
  }
}

/**
 * Declares a relationship to one resource, null when there is none:
 *
 *     toOne(() => UserResource)
 *     toOne([UserResource, TeamResource], { resourceFor: (owner) => … })
 *
 * It is read from the model's property of the relationship's name; a Lucid
 * relation is loaded for all resources of a level at once.
 *
 * @param options.load fetches for all models of a level instead: as many values as models, in their order
 * @param options.resourceFor the class for a model, where there are several
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

/** Whether a declaration is read from the model, or loaded for it, rather than run. */
export function isReadFromModel(declaration: Relationship): declaration is ReadFromModel {
  return isResourceClass(declaration) || declaration instanceof DeclaredRelationship
}

/** The declaration of a name; inherited properties are ignored. */
export function declarationIn(relationships: Relationships | null, name: string) {
  return relationships && Object.hasOwn(relationships, name) ? relationships[name]! : null
}

/** The `load` that a relationship is declared with. */
export function loaderOf(declaration: Relationship): RelationshipOptions['load'] {
  return declaration instanceof DeclaredRelationship ? declaration.options.load : undefined
}

/** The classes that a declaration leads to; null for a callable, whose result alone tells. */
export function classesOf(declaration: Relationship): readonly ResourceClass[] | null {
  if (isResourceClass(declaration)) {
    return [declaration]
  }
  if (declaration instanceof DeclaredRelationship) {
    return declaration.classes
  }
  return declaration instanceof DocumentSource ? [declaration.resourceClass] : null
}

/** What a class declares, whatever its model. */
export interface Shape {
  relationships: Relationships
  /** A resource of the class that has no model: its hooks can be looked at, not called. */
  sample: Resource
}

/**
 * What a class declares, whatever its model: what `toRelationships()` returns
 * when it reads none. It is the only hook that is ever called without a model:
 * `this.resource` throws.
 *
 * @returns null when it depends on the model; its own resources have to be asked
 */
export function shapeOf(resourceClass: ResourceClass): Shape | null {
  let readsModel = false
  try {
    const sample: Resource = new resourceClass(null)
    Object.defineProperty(sample, 'resource', {
      get() {
        readsModel = true
        throw new InvalidArgumentsException(
          `${resourceClass.name}.toRelationships() depends on its model`
        )
      },
    })
    const relationships = sample.toRelationships() ?? {}
    return readsModel ? null : { relationships, sample }
  } catch {
    /* Whatever was thrown here is thrown again as soon as there is a model to ask. */
    return null
  }
}

/** What a relationship of one resource leads to: resources, or models of a class of resources. */
export type RelationshipTarget = { isToMany: boolean } & (
  | { resources: readonly Resource[]; resourceClass: ResourceClass | null }
  | { resources: null; models: readonly unknown[]; resourceClass: ResourceClass }
)

const NOTHING: RelationshipTarget = { isToMany: false, resources: [], resourceClass: null }

/**
 * What a class or a declared relationship leads to, from the value that was read
 * or loaded for it. Null when the relationship is left out: a class is, when
 * there is nothing.
 *
 * @param described the relationship, for messages
 * @throws {RuntimeException} for a value that the relationship cannot have
 */
export function targetOfValue(
  declaration: ReadFromModel,
  value: unknown,
  described: string
): RelationshipTarget | null {
  const isNothing = value === null || value === undefined
  if (isResourceClass(declaration)) {
    return isNothing ? null : ofModels(declaration, value)
  }
  if (declaration.isToMany !== Array.isArray(value) && !(isNothing && !declaration.isToMany)) {
    throw new RuntimeException(
      declaration.isToMany
        ? `${described} needs a list`
        : `${described} leads to one resource, not to a list`
    )
  }
  if (isNothing) {
    return NOTHING
  }
  const { classes } = declaration
  if (classes.length === 1) {
    return ofModels(classes[0]!, value)
  }
  const resources = [value].flat().map((item) => resourceOf(declaration, item))
  return { isToMany: declaration.isToMany, resources, resourceClass: null }
}

/**
 * What a resource, or what a callable returned, leads to.
 *
 * @throws {RuntimeException} when it is neither a resource nor a collection
 */
export function targetOfSource(value: unknown, described: string): RelationshipTarget {
  if (value === null || value === undefined) {
    return NOTHING
  }
  if (Array.isArray(value) && value.every((item) => item instanceof DocumentSource)) {
    const resources = value.flatMap((item) => item.resources() ?? [])
    return { isToMany: true, resources, resourceClass: null }
  }
  if (!(value instanceof DocumentSource)) {
    throw new RuntimeException(`${described} is neither a resource nor a collection`)
  }
  return value.primaryData()
}

function ofModels(resourceClass: ResourceClass, value: unknown): RelationshipTarget {
  const isToMany = Array.isArray(value)
  return { isToMany, resources: null, models: isToMany ? value : [value], resourceClass }
}

/** The resource of one item of a relationship to several classes, which may be a resource itself. */
function resourceOf({ options, classes }: DeclaredRelationship, item: unknown): Resource {
  if (item instanceof DocumentSource) {
    return item as unknown as Resource
  }
  const resourceClass = options.resourceFor?.(item)
  if (!resourceClass || !classes.includes(resourceClass)) {
    throw new InvalidArgumentsException(
      'A relationship to several classes of resources needs "resourceFor", which returns one of them'
    )
  }
  return new resourceClass(item)
}
