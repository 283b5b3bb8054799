import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

import { remembered } from '#process/remembered'

/** Which requests could mean a file of the public folder, and which addresses may be kept for long. */
export class StaticFiles {
  readonly #fingerprintOf = remembered((path: string) =>
    hash('sha256', readFileSync(join(this.folder, path)), 'base64url').slice(0, 12)
  )

  /** @param paths the paths of all files; null where they may change, so that the disk is asked each time */
  constructor(
    protected readonly paths: ReadonlySet<string> | null,
    protected readonly folder: string = ''
  ) {}

  static in(folder: string): StaticFiles {
    const options = { recursive: true, withFileTypes: true } as const
    const entries = existsSync(folder) ? readdirSync(folder, options) : []
    const paths = entries
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    return new StaticFiles(new Set(paths.map((path) => `/${path}`)), folder)
  }

  /** The address of a file for pages. It changes with the content, where files stay while the process runs. */
  addressOf(path: string): string {
    return this.paths?.has(path) ? `${path}?v=${this.#fingerprintOf(path)}` : path
  }

  /** @param path path of the request, percent-encoded */
  mayHave(path: string): boolean {
    if (this.paths === null) {
      return true
    }
    try {
      const file = path.includes('%') ? decodeURIComponent(path) : path
      return this.paths.has(file.endsWith('/') ? `${file}index.html` : file)
    } catch {
      return false
    }
  }
}
