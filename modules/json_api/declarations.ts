import { RuntimeException } from '@adonisjs/core/exceptions'

import { Renderable } from '#json_api/renderable'
import type { Relationship, Relationships, Resource, ResourceClass } from '#json_api/types'

const MAX_READS = 1000

/**
 * What a class of resources says about its relationships when there is no model
 * to ask. `relationships` is null when that cannot be told; `isCertain` says
 * that the names do not depend on the model.
 */
export interface Declarations {
  relationships: Relationships | null
  isCertain: boolean
}

export function isResourceClass(value: unknown): value is ResourceClass {
  return typeof value === 'function' && value.prototype instanceof Renderable
}

/** Asks a class for its relationships, with a stand-in for the model. */
export function declarationsOf(resourceClass: ResourceClass): Declarations {
  let isCertain = true
  const model = standIn(() => (isCertain = false))
  try {
    const resource: Resource = new resourceClass(model)
    return { relationships: resource.toRelationships() ?? {}, isCertain }
  } catch {
    return { relationships: null, isCertain: false }
  }
}

/**
 * The class behind a declaration, or null when it cannot be told. A callable is
 * called on the stand-in, and must not mind.
 */
export function declaredClass(declaration: Relationship): ResourceClass | null {
  if (isResourceClass(declaration)) {
    return declaration
  }
  if (declaration instanceof Renderable) {
    return declaration.resourceClass
  }
  try {
    const value = (declaration as () => unknown)()
    if (value instanceof Promise) {
      value.catch(() => {})
    }
    return value instanceof Renderable ? value.resourceClass : null
  } catch {
    return null
  }
}

/** The class that a relationship leads to, as far as a class of resources can tell. */
export function classWithoutModels(resourceClass: ResourceClass, name: string) {
  const declaration = declarationIn(declarationsOf(resourceClass).relationships, name)
  return declaration && declaredClass(declaration)
}

/** The declaration of a name; what an object inherits is none. */
export function declarationIn(relationships: Relationships | null, name: string) {
  return relationships && Object.hasOwn(relationships, name) ? relationships[name] : null
}

/**
 * A model whose every property is a stand-in again, and is an empty list as
 * well. Code that reads on and on, up a chain of parents perhaps, is stopped.
 */
function standIn(onRead: () => void): any {
  let reads = 0
  const proxy: unknown = new Proxy(() => {}, {
    get(_, key) {
      onRead()
      if (++reads > MAX_READS) {
        throw new RuntimeException('The stand-in for a model was read too often')
      }
      if (key === Symbol.toPrimitive) {
        return () => ''
      }
      if (key === Symbol.iterator) {
        return () => [][Symbol.iterator]()
      }
      return key === 'then' ? undefined : proxy
    },
    apply: () => proxy,
  })
  return proxy
}
