import { InvalidArgumentsException, RuntimeException } from '@adonisjs/core/exceptions'

import { DeclaredRelationship, isResourceClass } from '#json_api/declared_relationships'
import { DocumentSource } from '#json_api/document_source'
import type { ReadFromModel, Relationship, Resource, ResourceClass } from '#json_api/types'

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
 * @throws {RuntimeException} for a value that the relationship cannot have
 */
export function targetOfValue(
  declaration: ReadFromModel,
  value: unknown,
  owner: ResourceClass,
  name: string
): RelationshipTarget | null {
  const isNothing = value === null || value === undefined
  if (isResourceClass(declaration)) {
    return isNothing ? null : ofModels(declaration, value)
  }
  if (declaration.isToMany !== Array.isArray(value) && !(isNothing && !declaration.isToMany)) {
    throw new RuntimeException(
      declaration.isToMany
        ? `${describe(owner, name)} needs a list`
        : `${describe(owner, name)} leads to one resource, not to a list`
    )
  }
  if (isNothing) {
    return NOTHING
  }
  const { classes } = declaration
  if (classes.length === 1) {
    return ofModels(classes[0]!, value)
  }
  const resources = [value].flat().map((item) => resourceOf(declaration, classes, item))
  return { isToMany: declaration.isToMany, resources, resourceClass: null }
}

/**
 * What a resource, or what a callable returned, leads to.
 *
 * @throws {RuntimeException} when it is neither a resource nor a collection
 */
export function targetOfSource(
  value: unknown,
  owner: ResourceClass,
  name: string
): RelationshipTarget {
  if (value === null || value === undefined) {
    return NOTHING
  }
  if (Array.isArray(value) && value.every((item) => item instanceof DocumentSource)) {
    const resources = value.flatMap((item) => item.resources() ?? [])
    return { isToMany: true, resources, resourceClass: null }
  }
  if (!(value instanceof DocumentSource)) {
    throw new RuntimeException(`${describe(owner, name)} is neither a resource nor a collection`)
  }
  return value.primaryData()
}

/** Whether a declaration is read from the model, rather than by running it. */
export function isReadFromModel(declaration: Relationship): declaration is ReadFromModel {
  return isResourceClass(declaration) || declaration instanceof DeclaredRelationship
}

function ofModels(resourceClass: ResourceClass, value: unknown): RelationshipTarget {
  const isToMany = Array.isArray(value)
  return { isToMany, resources: null, models: isToMany ? value : [value], resourceClass }
}

function describe(owner: ResourceClass, name: string) {
  return `The relationship "${name}" of ${owner.name}`
}

/** The resource of one item of a relationship to several classes, which may be a resource itself. */
function resourceOf(
  { options }: DeclaredRelationship,
  classes: readonly ResourceClass[],
  item: unknown
): Resource {
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
