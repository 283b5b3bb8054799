/*
|--------------------------------------------------------------------------
| The walls of the house
|--------------------------------------------------------------------------
|
| What each floor may import of this repository, as allow-lists: whatever is
| not listed is refused. The forker's folders stand on the modules, a feature
| module on the core and the kit, the core on the kit, and the kit on nothing.
| Packages from npm are everybody's.
|
*/

import { readFileSync, readdirSync } from 'node:fs'
import { relative, sep } from 'node:path'

const { imports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Aliases of the forker's folders. */
const APPLICATION = Object.entries(imports)
  .filter(([, folder]) => !/^\.\/(?:modules|tests)\//.test(folder))
  .map(([alias]) => alias.replace('*', ''))

const CORE = ['#auth/', '#support/']

const FEATURES = readdirSync(new URL('../modules/', import.meta.url)).filter(
  (folder) => !CORE.includes(`#${folder}/`)
)

const MODULES = [...CORE, ...FEATURES.map((feature) => `#${feature}/`)]

/** Row models are built on the classes that Lucid generates from the migrations. */
const GENERATED_ROWS = '#database/schema'

/** What files below a folder may import. The first folder that matches decides. */
const FLOORS = [
  ['modules/support/', ['#support/']],
  ['modules/auth/', CORE],
  /* Both are tools on code: what reads manifests and syntax trees has one home. */
  ['modules/export/', [...CORE, '#export/', '#removal/']],
  ...FEATURES.map((feature) => [`modules/${feature}/`, [...CORE, `#${feature}/`, GENERATED_ROWS]]),
  ...['app/', 'commands/', 'config/', 'database/', 'providers/', 'start/'].map((folder) => [
    folder,
    [...MODULES, ...APPLICATION],
  ]),
]

/** An alias of the application that lies inside the alias of a module: `#mcp/tools/` in `#mcp/`. */
function isAllowed(source, allowed) {
  const inner = APPLICATION.find((alias) => source.startsWith(alias))
  return inner
    ? allowed.some((prefix) => prefix === inner || (prefix.startsWith(inner) && source === prefix))
    : allowed.some((prefix) => source.startsWith(prefix))
}

/** @type {import('eslint').Rule.RuleModule} */
const rule = {
  meta: {
    type: 'problem',
    docs: { description: 'Refuse imports that a floor of the house does not allow' },
    messages: {
      wall: '{{ folder }} may not import {{ source }}. It may import: {{ allowed }}.',
      relative: 'Import {{ source }} through an alias, so that the walls can be seen.',
    },
    schema: [],
  },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll(sep, '/')
    const floor = FLOORS.find(([folder]) => file.startsWith(folder))
    if (!floor) {
      return {}
    }
    const [folder, allowed] = floor

    function check(node) {
      const source = node?.type === 'TSLiteralType' ? node.literal.value : node?.value
      if (typeof source !== 'string') {
        return
      }
      if (/^\.{0,2}\//.test(source)) {
        context.report({ node, messageId: 'relative', data: { source } })
      } else if (source.startsWith('#') && !isAllowed(source, allowed)) {
        context.report({
          node,
          messageId: 'wall',
          data: { folder, source, allowed: allowed.join(', ') },
        })
      }
    }

    return {
      ImportDeclaration: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      TSImportType: (node) => check(node.source ?? node.argument),
      TSModuleDeclaration: (node) => check(node.id.type === 'Literal' ? node.id : null),
    }
  },
}

export default rule
