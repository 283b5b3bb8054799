import ts from 'typescript'

import { append, editNode, valueOf } from '#export/edits/lists'
import { WORDS } from '#export/pages'
import type { Target } from '#export/target'

const PATH = 'adonisrc.ts'

/** In this order: the others add to the first. */
const PROVIDERS = ['auth_server_provider', 'auth_oauth2_provider', 'mcp_provider']

/** The pages' words are read at start, and so belong to a build. */
const WORDS_META = `{ pattern: '${WORDS}', reloadServer: false }`

/** Lists the providers that were written, and what a build needs besides code. */
export function editProviders(target: Target, paths: Iterable<string>): void {
  const written = new Set(paths)
  const items = PROVIDERS.filter((name) => written.has(`providers/${name}.ts`)).map(
    (name) => `() => import('#providers/${name}')`
  )
  addTo(target, 'providers', items)
  if (written.has(WORDS)) {
    addTo(target, 'metaFiles', [WORDS_META])
  }
}

function addTo(target: Target, property: string, items: readonly string[]) {
  target.edit(
    PATH,
    (text) => {
      const missing = items.filter((item) => !text.includes(item))
      return missing.length
        ? editNode(PATH, text, (node) => {
            const list = valueOf(node, property)
            return list && ts.isArrayLiteralExpression(list) ? append(list, missing) : undefined
          })
        : text
    },
    {
      task: `Add to "${property}", at the end`,
      lines: items.map((item) => `${item},`).join('\n'),
    }
  )
}
