import type { Manifest } from '#removal/manifests'
import { isDocument } from '#removal/steps/documents'
import type { Workspace } from '#removal/workspace'

const isText = (path: string) =>
  path !== 'CHANGELOG.md' &&
  (isDocument(path) || path === 'package.json' || /^resources\/lang\/.*\.json$/.test(path))

/** A sentence for each feature whose title is still in texts that people read. */
export function mentions(workspace: Workspace, removed: readonly Manifest[]): string[] {
  const texts = [...workspace.paths].filter(isText).sort()
  return removed.flatMap(({ title }) => {
    const escaped = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    const named = new RegExp(`(?<!\\w)${escaped}(?!\\w)`)
    const paths = texts.filter((path) => named.test(workspace.read(path)))
    return paths.length ? [`"${title}" is still in ${paths.join(', ')}: read these again.`] : []
  })
}
