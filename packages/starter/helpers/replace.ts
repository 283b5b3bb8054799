import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'

/** Sets a member of an object until the test ends. @returns what puts the former one back before that */
export function replaceForTest<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  value: Owner[Name]
): () => void {
  const own = Object.getOwnPropertyDescriptor(owner, name)
  const restore = () => {
    if (own) {
      Object.defineProperty(owner, name, own)
    } else {
      Reflect.deleteProperty(owner, name)
    }
  }
  getActiveTest()!.cleanup(restore)
  owner[name] = value
  return restore
}

/**
 * Replaces a method of an object until the test ends.
 * @param make the new method, which may call the original one
 * @returns what puts the original one back before that
 */
export function wrapForTest<Owner extends object, Name extends keyof Owner>(
  owner: Owner,
  name: Name,
  make: (original: Owner[Name]) => Owner[Name]
): () => void {
  const original = (owner[name] as () => unknown).bind(owner)
  return replaceForTest(owner, name, make(original as Owner[Name]))
}

/** Lets the first calls of a method wait for each other at its beginning, or at its end, until the test ends. */
export function meetForTest<Owner extends object>(
  owner: Owner,
  name: keyof Owner,
  { calls = 2, at = 'its beginning' }: { calls?: number; at?: 'its beginning' | 'its end' } = {}
): () => void {
  const all = Promise.withResolvers<void>()
  let arrived = 0
  async function meet() {
    arrived += 1
    if (arrived === calls) {
      all.resolve()
    }
    await all.promise
  }
  const wrap = (original: (...parameters: unknown[]) => unknown) =>
    async function (...parameters: unknown[]) {
      at === 'its beginning' && (await meet())
      const result = await original(...parameters)
      at === 'its end' && (await meet())
      return result
    }
  return wrapForTest<any, any>(owner, name, wrap)
}

/** Hides a binding of the container until the test ends, as in an application that never had it. */
export function hideBinding(hidden: unknown): void {
  const has = app.container.hasBinding.bind(app.container)
  replaceForTest(app.container, 'hasBinding', (binding: any) => binding !== hidden && has(binding))
}
