import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { DocumentSource } from '#json_api/document_source'
import type {
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

/** The declaration of a name; inherited properties are ignored. */
export function declarationIn(relationships: Relationships | null, name: string) {
  return relationships && Object.hasOwn(relationships, name) ? relationships[name]! : null
}

/** Whether a relationship is declared with a `load` of its own. */
export function hasLoader(declaration: Relationship): declaration is DeclaredRelationship {
  return declaration instanceof DeclaredRelationship && declaration.options.load !== undefined
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
 * when it reads none. It is the only hook that is ever called without a model,
 * and there is nothing that it could read: `this.resource` throws.
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

/** The relationships of that; null when they depend on the model. */
export function declaredRelationships(resourceClass: ResourceClass): Relationships | null {
  return shapeOf(resourceClass)?.relationships ?? null
}
