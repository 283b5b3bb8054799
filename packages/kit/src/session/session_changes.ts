import { isDeepStrictEqual } from 'node:util'

import { isObject } from '#process/objects'
import { isUnsafe } from '#session/typed_fields'

/** Activity is recorded at most this often (milliseconds): with an idle timeout (or a tenth of it, if that is less), and without one, for the list of sessions only. */
const PRECISION = { idle: 1000, list: 60 * 60 * 1000 }

type Data = Record<string, unknown>

/** Changes to a session's data. Each entry has a path of keys and the new value; without a value the key is removed. */
export type SessionChanges = { path: string[]; value?: unknown }[]

/** What turns `before` into `after`, key by key, also in new objects: a concurrent request may add the same object. */
export function findChanges(before: Data, after: Data, parents: string[] = []): SessionChanges {
  const changes: SessionChanges = []
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isUnsafe(key)) {
      continue
    }
    const path = [...parents, key]
    const [old, value] = [before[key], after[key]]
    const isNew = old === undefined && isObject(value) && Object.keys(value).length > 0
    if (value === undefined) {
      changes.push({ path })
    } else if (isObject(value) && (isObject(old) || isNew)) {
      changes.push(...findChanges(old ?? {}, value, path))
    } else if (!isDeepStrictEqual(old, value)) {
      changes.push({ path, value })
    }
  }
  return changes
}

export function isActivityDue(record: { lastActivity: number }, idleTtl: number | null) {
  const precision = idleTtl === null ? PRECISION.list : Math.min(PRECISION.idle, idleTtl * 100)
  return Date.now() - record.lastActivity >= precision
}

export function applyChanges(data: Data, changes: SessionChanges): Data {
  const result = structuredClone(data)

  for (const { path, value } of changes) {
    let target = result
    for (const key of path.slice(0, -1)) {
      if (!isObject(target[key])) {
        target[key] = {}
      }
      target = target[key] as Data
    }
    const key = path.at(-1)!
    if (value === undefined) {
      delete target[key]
    } else {
      target[key] = value
    }
  }

  return result
}
