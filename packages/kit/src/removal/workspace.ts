import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Folders that are made, not written. */
const MADE = new Set(['.git', 'build', 'node_modules', 'tmp'])

/** The files of a repository, with changes that are not on the disk yet. */
export class Workspace {
  readonly paths: Set<string>
  readonly #texts = new Map<string, string>()
  readonly #changed = new Set<string>()
  readonly #removed = new Set<string>()

  constructor(readonly root: string) {
    this.paths = new Set(filesBelow(root, ''))
  }

  /** Paths whose text is another one than on the disk. */
  get changed(): string[] {
    return [...this.#changed].sort()
  }

  get removed(): string[] {
    return [...this.#removed].sort()
  }

  read(path: string): string {
    let text = this.#texts.get(path)
    if (text === undefined) {
      text = readFileSync(join(this.root, path), 'utf8')
      this.#texts.set(path, text)
    }
    return text
  }

  /** The text as it is on the disk; empty for a new file. */
  original(path: string): string {
    const file = join(this.root, path)
    return existsSync(file) ? readFileSync(file, 'utf8') : ''
  }

  write(path: string, text: string): void {
    if (!this.paths.has(path) || this.read(path) !== text) {
      this.paths.add(path)
      this.#texts.set(path, text)
      this.#changed.add(path)
    }
  }

  /** Changes a file, if it is there. */
  edit(path: string, change: (text: string) => string): void {
    if (this.paths.has(path)) {
      this.write(path, change(this.read(path)))
    }
  }

  remove(path: string): void {
    this.paths.delete(path)
    this.#changed.delete(path)
    this.#removed.add(path)
  }

  /** Paths of files: the path itself, or those below the folder. */
  below(path: string): string[] {
    return [...this.paths].filter((file) => file === path || file.startsWith(`${path}/`))
  }

  /** Writes everything to the disk; folders that are empty then go too. */
  async apply(): Promise<void> {
    for (const path of this.#removed) {
      await rm(join(this.root, path), { force: true })
      await removeEmptyFolders(this.root, dirname(path))
    }
    for (const path of this.#changed) {
      await mkdir(dirname(join(this.root, path)), { recursive: true })
      await writeFile(join(this.root, path), this.read(path))
    }
  }
}

function filesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      return MADE.has(entry.name) ? [] : filesBelow(root, path)
    }
    return entry.isFile() ? [path] : []
  })
}

async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder !== '.' && existsSync(join(root, folder)) && !readdirSync(join(root, folder)).length) {
    await rmdir(join(root, folder))
    await removeEmptyFolders(root, dirname(folder))
  }
}
