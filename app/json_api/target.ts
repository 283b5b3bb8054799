import { isResourceClass } from '#json_api/declarations'
import { Renderable } from '#json_api/renderable'
import type { Relationship, Resource, ResourceClass } from '#json_api/types'

/** What a relationship of one resource leads to: resources, or models of a class of resources. */
export type Target = { isToMany: boolean } & (
  | { resources: Resource[]; resourceClass: ResourceClass | null }
  | { resources: null; models: unknown[]; resourceClass: ResourceClass }
)

/** What a declaration leads to, or null when the relationship is left out. */
export function resolve(
  declaration: Relationship,
  resource: Resource,
  name: string
): Target | null | Promise<Target> {
  if (isResourceClass(declaration)) {
    return fromAttribute(declaration, resource.resource[name])
  }
  if (declaration instanceof Renderable) {
    return fromRenderable(declaration)
  }
  const value = declaration()
  return value instanceof Promise ? value.then(fromRenderable) : fromRenderable(value)
}

/** A resource class reads the model attribute of the relationship's name. */
function fromAttribute(resourceClass: ResourceClass, value: unknown): Target | null {
  if (value === null || value === undefined) {
    return null
  }
  const isToMany = Array.isArray(value)
  return { isToMany, resources: null, models: isToMany ? value : [value], resourceClass }
}

function fromRenderable(value: Renderable | null | undefined): Target {
  const resources = value?.resources() ?? null
  const isToMany = Array.isArray(resources)
  return {
    isToMany,
    resources: isToMany ? resources : resources ? [resources] : [],
    resourceClass: value?.resourceClass ?? null,
  }
}
