import type { Workspace } from '#removal/workspace'

/**
 * The last resort, where a part of a file belongs to a feature and no list, import
 * or path says so: it stands between `feature: <names>` and `/feature`, each in a
 * comment that has its line for itself. It goes with the first of the features.
 */
const BEGIN = /^\s*(?:<!--|\{\{--|\/\*|\/\/|#)\s*feature: ([\w ,]+?)\s*(?:-->|--\}\}|\*\/)?$/
const END = /^\s*(?:<!--|\{\{--|\/\*|\/\/|#)\s*\/feature\s*(?:-->|--\}\}|\*\/)?$/

/** A text without the marked parts of features, and with those of others. */
export function withoutMarked(text: string, features: ReadonlySet<string>): string {
  const kept: string[] = []
  const open: boolean[] = []
  let wasOpen = false
  for (const line of text.split('\n')) {
    const names = BEGIN.exec(line)?.[1]?.split(/[ ,]+/)
    if (names) {
      open.push(names.some((name) => features.has(name)))
    }
    /* The empty line after a part that is gone, when one is before it already. */
    const isGap = wasOpen && line === '' && kept.at(-1) === ''
    wasOpen = open.includes(true)
    if (!wasOpen && !isGap) {
      kept.push(line)
    }
    if (END.test(line)) {
      open.pop()
    }
  }
  return kept.join('\n')
}

/** The names in the marks of a text. */
export function markedFeatures(text: string): string[] {
  return text.split('\n').flatMap((line) => BEGIN.exec(line)?.[1]?.split(/[ ,]+/) ?? [])
}

/** Takes the marked parts of features out of every text. */
export function removeMarked(workspace: Workspace, features: ReadonlySet<string>): void {
  for (const path of [...workspace.paths].filter((name) => !BINARY.test(name))) {
    if (workspace.read(path).includes('/feature')) {
      workspace.edit(path, (text) => withoutMarked(text, features))
    }
  }
}

const BINARY = /\.(?:png|ico|woff2?|sqlite3)$|^package-lock\.json$/
