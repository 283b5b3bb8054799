import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Bytes that two short collections, as they happen all the time, leave in use. */
export function heapAfterShortCollections(): number {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as NodeJS.GCFunction
  collect({ type: 'minor', execution: 'sync' })
  collect({ type: 'minor', execution: 'sync' })
  return process.memoryUsage().heapUsed
}
