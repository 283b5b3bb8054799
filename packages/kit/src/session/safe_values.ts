import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { ValuesStore } from '@adonisjs/session'

type Key = string | string[]

/** Whether a segment of a path leads to the prototype of the object that it is looked up in. */
export function isUnsafe(segment: string): boolean {
  return segment === '__proto__' || segment === 'constructor' || segment === 'prototype'
}

/** What separates the segments of a path: `a.b`, `a[b]`, `a["b"]`. */
const SEPARATORS = /[.[\]'"]+/

/**
 * AdonisJS's store of values by dotted paths, without the paths that lead to
 * `Object.prototype`: a value set there would be a property of every object of
 * the process.
 */
export class SafeValues extends ValuesStore {
  override get(key: Key, defaultValue?: any): any {
    assertSafeKey(key)
    return super.get(key, defaultValue)
  }

  override set(key: Key, value: any): void {
    assertSafeKey(key)
    super.set(key, value)
  }

  override unset(key: Key): void {
    assertSafeKey(key)
    super.unset(key)
  }

  override merge(values: Record<string, any>): any {
    assertSafeKeys(values)
    return super.merge(values)
  }
}

/** @throws {InvalidArgumentsException} for a key with `__proto__`, `constructor` or `prototype` in its path */
function assertSafeKey(key: Key) {
  const segments = Array.isArray(key) ? key.map(String) : String(key).split(SEPARATORS)
  const unsafe = segments.find(isUnsafe)
  if (unsafe !== undefined) {
    throw new InvalidArgumentsException(`A session key cannot have "${unsafe}" in its path`)
  }
}

/** @throws {InvalidArgumentsException} for an object that has such a key, at any depth */
export function assertSafeKeys(values: unknown): void {
  if (typeof values === 'object' && values !== null) {
    for (const [key, value] of Object.entries(values)) {
      assertSafeKey([key])
      assertSafeKeys(value)
    }
  }
}
