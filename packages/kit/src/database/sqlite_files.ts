import { statSync } from 'node:fs'

import type { Database } from 'better-sqlite3'

/** Device and number of each SQLite file when it was opened, by its path. */
const opened = new Map<string, string>()

/** Remembers which file a connection has opened. */
export function rememberFile({ name, memory }: Database): void {
  if (!memory) {
    opened.set(name, identityOf(name)!)
  }
}

/**
 * Whether a file was deleted or replaced since it was opened. A process goes on with the open one,
 * which nobody else sees and which is gone when the process ends.
 */
export function isLost(name: string): boolean {
  const identity = opened.get(name)
  return identity !== undefined && identityOf(name) !== identity
}

function identityOf(name: string): string | null {
  const stats = statSync(name, { bigint: true, throwIfNoEntry: false })
  return stats ? `${stats.dev}:${stats.ino}` : null
}
