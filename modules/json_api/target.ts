import { RuntimeException } from '@adonisjs/core/exceptions'

import { isResourceClass } from '#json_api/declarations'
import { Renderable } from '#json_api/renderable'
import type { Relationship, Resource, ResourceClass } from '#json_api/types'

/** What a relationship of one resource leads to: resources, or models of a class of resources. */
export type Target = { isToMany: boolean } & (
  | { resources: Resource[]; resourceClass: ResourceClass | null }
  | { resources: null; models: unknown[]; resourceClass: ResourceClass }
)

/**
 * What a declaration leads to, or null when the relationship is left out.
 *
 * @throws {RuntimeException} when it leads to neither a resource nor a collection
 */
export function resolve(
  declaration: Relationship,
  resource: Resource,
  name: string
): Target | null | Promise<Target> {
  if (isResourceClass(declaration)) {
    return fromAttribute(declaration, resource.resource[name])
  }
  const value: unknown = typeof declaration === 'function' ? declaration() : declaration
  const finish = (settled: unknown) => fromRenderable(settled, resource, name)
  return value instanceof Promise ? value.then(finish) : finish(value)
}

/** A resource class reads the model attribute of the relationship's name. */
function fromAttribute(resourceClass: ResourceClass, value: unknown): Target | null {
  if (value === null || value === undefined) {
    return null
  }
  const isToMany = Array.isArray(value)
  return { isToMany, resources: null, models: isToMany ? value : [value], resourceClass }
}

function fromRenderable(value: unknown, owner: Resource, name: string): Target {
  if (value === null || value === undefined) {
    return { isToMany: false, resources: [], resourceClass: null }
  }
  if (!(value instanceof Renderable)) {
    throw new RuntimeException(
      `The relationship "${name}" of ${owner.resourceClass.name} is neither a resource nor a collection`
    )
  }
  const resources = value.resources()
  const isToMany = Array.isArray(resources)
  return {
    isToMany,
    resources: isToMany ? resources : resources ? [resources] : [],
    resourceClass: value.resourceClass,
  }
}
