import ts from 'typescript'

import { type Edit, applyEdits, itemDeletion, parse } from '#removal/code/syntax'
import type { Workspace } from '#removal/workspace'

const isWords = (path: string) => /^resources\/lang\/[^/]+\/\w+\.json$/.test(path)
const groupOf = (path: string) => path.replace(/^.*\/|\.json$/g, '')

/** Words that some code or view names, and those that validators look up by themselves. */
function namedIn(workspace: Workspace): (key: string) => boolean {
  const groups = [...new Set([...workspace.paths].filter(isWords).map(groupOf))].join('|')
  const key = new RegExp(`['"\`]((?:${groups})(?:\\.\\w+)+\\.?)(?=['"\`$])`, 'g')
  const named = new Set<string>()
  for (const path of workspace.paths) {
    if (/^(?:app|modules|start|providers|config|resources\/views)\/.*\.(?:ts|edge)$/.test(path)) {
      ;[...workspace.read(path).matchAll(key)].forEach((match) => named.add(match[1]!))
    }
  }
  return (name) => {
    const parts = name.split('.')
    return parts.some((_, index) => {
      const prefix = parts.slice(0, index + 1).join('.')
      const isWhole = index + 1 === parts.length
      return named.has(isWhole ? prefix : `${prefix}.`) || (index > 0 && named.has(prefix))
    })
  }
}

/** Remembers which words are named; what it returns takes out those that no longer are, and those of these keys. */
export function wordsToRemove(workspace: Workspace): (keys: readonly string[]) => void {
  const wasNamed = namedIn(workspace)
  return (keys) => {
    const isNamed = namedIn(workspace)
    const isGone = (key: string) => keys.includes(key) || (wasNamed(key) && !isNamed(key))
    for (const path of [...workspace.paths].filter(isWords)) {
      workspace.edit(path, (text) => withoutWords(path, text, isGone))
    }
  }
}

/** Takes words out of the text, which keeps its order; then groups that have lost all of theirs. */
function withoutWords(path: string, text: string, isGone: (key: string) => boolean): string {
  const edits: Edit[] = []
  const visit = (node: ts.ObjectLiteralExpression, prefix: string): boolean => {
    const gone = node.properties.filter((property) => {
      const { name, initializer } = property as ts.PropertyAssignment
      const key = `${prefix}.${(name as ts.StringLiteral).text}`
      return ts.isObjectLiteralExpression(initializer) ? visit(initializer, key) : isGone(key)
    })
    edits.push(...gone.map((property) => itemDeletion(node.properties, property)))
    return gone.length > 0 && gone.length === node.properties.length
  }
  const [words] = parse(path, text).statements
  visit((words as ts.ExpressionStatement).expression as ts.ObjectLiteralExpression, groupOf(path))
  return applyEdits(text, edits)
}
