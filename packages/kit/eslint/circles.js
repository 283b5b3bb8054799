/*
|--------------------------------------------------------------------------
| No circles
|--------------------------------------------------------------------------
|
| Files whose values need each other load in an order that nobody chose, and
| one of them sees the other half made. Imports of types and imports inside
| functions do not count: they are not there, or come later.
|
*/

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

const IMPORT = /^(?:import|export)\b(?!\s+type\b)(?:([\w$*{},\s]*?)\bfrom\s*)?\s*'([#.][^']+)'/gm

function importsTypesAlone(clause) {
  const names = /^\s*\{([^}]*)\}\s*$/.exec(clause ?? '')
  return names !== null && names[1].split(',').every((name) => /^\s*(type\s|$)/.test(name))
}

/** Follows the aliases of a file's own package.json; null for what is no TypeScript file of it. */
function resolver(root) {
  const kit = join(root, 'packages', 'kit')
  const aliases = new Map(
    [kit, root].filter(existsSync).map((folder) => [folder, aliasesOf(folder)])
  )

  return (source, from) => {
    const folder = from.startsWith(kit + sep) ? kit : root
    const [alias, target] = aliases.get(folder).find(([prefix]) => source.startsWith(prefix)) ?? []
    const path = alias
      ? join(folder, target, source.slice(alias.length))
      : join(dirname(from), source.replace(/\.js$/, ''))
    return existsSync(`${path}.ts`) ? `${path}.ts` : null
  }
}

function aliasesOf(folder) {
  const { imports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.entries(imports)
    .map(([alias, target]) => [alias.replace('*', ''), target.replace(/\*\.js$/, '')])
    .sort(([a], [b]) => b.length - a.length)
}

/** The files that a text imports values from, with the source that names each. */
function valueImports(text, file, resolve) {
  const found = new Map()
  for (const [, clause, source] of text.matchAll(IMPORT)) {
    const target = importsTypesAlone(clause) ? null : resolve(source, file)
    if (target) {
      found.set(source, target)
    }
  }
  return found
}

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  meta: {
    type: 'problem',
    docs: { description: 'Refuse files that import values of each other in a circle' },
    messages: { circle: 'This import closes a circle: {{ path }}.' },
    schema: [],
  },
  create(context) {
    const { cwd, filename } = context
    const resolve = resolver(cwd)

    /** The shortest way from a file to the one that is linted, or null. */
    function wayBack(start) {
      const cameFrom = new Map([[start, null]])
      for (const file of cameFrom.keys()) {
        if (file === filename) {
          const way = []
          for (let step = file; step; step = cameFrom.get(step)) {
            way.unshift(relative(cwd, step).replaceAll(sep, '/'))
          }
          return way
        }
        for (const target of importsOf(file, resolve)) {
          if (!cameFrom.has(target)) {
            cameFrom.set(target, file)
          }
        }
      }
      return null
    }

    return {
      Program(node) {
        const imports = valueImports(context.sourceCode.text, filename, resolve)
        for (const statement of node.body) {
          const target = statement.source && imports.get(statement.source.value)
          const way = target && statement.importKind !== 'type' && wayBack(target)
          if (way) {
            context.report({
              node: statement,
              messageId: 'circle',
              data: { path: way.join(' → ') },
            })
          }
        }
      },
    }
  },
}

/** What other files import, read once for all files that are linted. */
const graph = new Map()

function importsOf(file, resolve) {
  if (!graph.has(file)) {
    const text = readFileSync(file, 'utf8')
    graph.set(file, [...new Set(valueImports(text, file, resolve).values())])
  }
  return graph.get(file)
}

export default rule
