import { readdirSync } from 'node:fs'
import { relative, sep } from 'node:path'

/** Which requests could mean a file of the public folder. */
export class StaticFiles {
  readonly #paths: ReadonlySet<string> | null

  /** @param paths the paths of all files; null where they may change, so that the disk is asked each time */
  constructor(paths: ReadonlySet<string> | null) {
    this.#paths = paths
  }

  /** The files that a folder holds now; none when there is no such folder. */
  static in(folder: string): StaticFiles {
    return new StaticFiles(new Set(filesIn(folder).map((file) => `/${file.replaceAll(sep, '/')}`)))
  }

  /** @param path path of the request, percent-encoded */
  mayHave(path: string): boolean {
    if (this.#paths === null) {
      return true
    }
    try {
      const file = decodeURIComponent(path)
      return this.#paths.has(file.endsWith('/') ? `${file}index.html` : file)
    } catch {
      return false
    }
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => relative(folder, `${entry.parentPath}${sep}${entry.name}`))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return []
    }
    throw error
  }
}
