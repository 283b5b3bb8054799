import { resolveSpecifier, withoutExtension } from '#removal/code/aliases'
import { prune } from '#removal/code/prune'
import type { Gone } from '#removal/code/references'
import type { Workspace } from '#removal/workspace'

/** What is known to be gone, beside files. */
export interface GoneNames extends Pick<
  Gone,
  'asked' | 'configs' | 'guards' | 'members' | 'paths' | 'signs'
> {
  /** Exports that the code may no longer use although their files stay, by the path of the file. */
  exports: ReadonlyMap<string, ReadonlySet<string>>
  packages: readonly string[]
}

/** Where no code is changed: `modules/` is upstream's, and nothing in it imports another feature. */
const UNTOUCHED = /^(?:modules|stubs)\/|^database\/schema\.ts$|\.d\.ts$/

/**
 * Takes out of all code what uses files, exports and names that are gone. A file
 * that has nothing left is removed, and what imports it is next.
 */
export function removeFromCode(workspace: Workspace, names: GoneNames): void {
  const aliases: Record<string, string> = JSON.parse(workspace.read('package.json')).imports
  const files = new Set(workspace.removed.map(withoutExtension))
  const removed = new Set(workspace.removed)
  const exports = new Map([...names.exports].map(([path, list]) => [path, new Set(list)]))

  let waiting = codeIn(workspace)
  while (waiting.length) {
    const changed = waiting.filter((path) => {
      const { text, goneExports } = prune(path, workspace.read(path), workspace.original(path), {
        ...names,
        isPath: (place) => removed.has(place) || isGoneFolder(workspace, place),
        exportsOf(specifier) {
          const file = resolveSpecifier(specifier, path, aliases)
          if (names.packages.some((name) => `${specifier}/`.startsWith(`${name}/`))) {
            return 'all'
          }
          return file !== null && files.has(file) ? 'all' : (exports.get(file ?? '') ?? NONE)
        },
      })
      const file = withoutExtension(path)
      if (text === null) {
        workspace.remove(path)
        files.add(file)
        removed.add(path)
        return true
      }
      workspace.write(path, text)
      const known = exports.get(file) ?? new Set()
      const isNews = [...goneExports].some((name) => !known.has(name))
      exports.set(file, new Set([...known, ...goneExports]))
      return isNews
    })
    waiting = changed.length ? codeIn(workspace) : []
  }
}

const isGoneFolder = (workspace: Workspace, text: string) =>
  text.endsWith('/') &&
  workspace.removed.some((path) => path.startsWith(text)) &&
  !workspace.below(text.slice(0, -1)).length

const NONE: ReadonlySet<string> = new Set()

const codeIn = (workspace: Workspace) =>
  [...workspace.paths].filter((path) => /\.[jt]s$/.test(path) && !UNTOUCHED.test(path))
