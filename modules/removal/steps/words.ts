import type { Workspace } from '#removal/workspace'

type Words = { [key: string]: string | Words }

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
    for (const path of [...workspace.paths].filter(isWords)) {
      const words = JSON.parse(workspace.read(path)) as Words
      const left = without(words, groupOf(path), (key) => wasNamed(key) && !isNamed(key))
      if (JSON.stringify(left) !== JSON.stringify(words)) {
        workspace.write(path, `${JSON.stringify(left, null, 2)}\n`)
      }
    }
  }
}

function without(words: Words, prefix: string, isGone: (key: string) => boolean): Words {
  const left: Words = {}
  for (const [name, value] of Object.entries(words)) {
    const key = `${prefix}.${name}`
    if (typeof value === 'string') {
      if (!isGone(key)) left[name] = value
      continue
    }
    const group = without(value, key, isGone)
    if (Object.keys(group).length) left[name] = group
  }
  return left
}
