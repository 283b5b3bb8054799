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

/** Remembers which words are named; what it returns takes out those that no longer are. */
export function wordsToRemove(workspace: Workspace): () => void {
  const wasNamed = namedIn(workspace)
  return () => {
    const isNamed = namedIn(workspace)
    const isGone = (key: string) => wasNamed(key) && !isNamed(key)
    for (const path of [...workspace.paths].filter(isWords)) {
      workspace.edit(path, (text) => {
        const [words] = parse(path, text).statements
        const { expression } = words as ts.ExpressionStatement
        return applyEdits(text, editsWithout(expression, groupOf(path), isGone))
      })
    }
  }
}

/** Takes words out of a group; a group that loses all of them goes too. */
function editsWithout(
  words: ts.Expression,
  prefix: string,
  isGone: (key: string) => boolean
): Edit[] {
  const { properties } = words as ts.ObjectLiteralExpression
  return properties.flatMap((property) => {
    const { name, initializer } = property as ts.PropertyAssignment
    const key = `${prefix}.${(name as ts.StringLiteral).text}`
    return isEmptied(initializer, key, isGone)
      ? [itemDeletion(properties, property)]
      : ts.isObjectLiteralExpression(initializer)
        ? editsWithout(initializer, key, isGone)
        : []
  })
}

function isEmptied(words: ts.Expression, key: string, isGone: (key: string) => boolean): boolean {
  return ts.isObjectLiteralExpression(words)
    ? words.properties.every(({ name, ...property }) =>
        isEmptied(
          (property as ts.PropertyAssignment).initializer,
          `${key}.${(name as ts.StringLiteral).text}`,
          isGone
        )
      )
    : isGone(key)
}
