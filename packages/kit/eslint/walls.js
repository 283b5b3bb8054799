/*
|--------------------------------------------------------------------------
| The walls of the house
|--------------------------------------------------------------------------
|
| What each floor may import of this repository, as allow-lists: whatever is
| not listed is refused. In the kit, a feature stands on the core and on the
| shared rooms, the core on the shared rooms, and these on nothing. The
| application imports the kit by its name, and its own folders. Packages from
| npm are everybody's.
|
*/

import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { relative, sep } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Of the project, where ESLint runs. */
const ROOT = pathToFileURL(`${process.cwd()}/`)

const APPLICATION = Object.entries(
  JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')).imports
)
  .filter(([, folder]) => !/^\.\/(?:packages|tests)\//.test(folder))
  .map(([alias]) => alias.replace('*', ''))

const aliasOf = (room) => `#${room}/`
/** What features share, by what it is about. */
const SHARED_ROOMS = ['config', 'database', 'http', 'mail', 'process', 'security']
const SHARED = SHARED_ROOMS.map(aliasOf)
const CORE = ['#auth/', ...SHARED]

const KIT = 'packages/kit/src/'
const kit = new URL(KIT, ROOT)
const FEATURES = (existsSync(kit) ? readdirSync(kit, { withFileTypes: true }) : [])
  .filter((entry) => entry.isDirectory() && !CORE.includes(aliasOf(entry.name)))
  .map(({ name }) => name)

const STUBS = '#stubs/main'

/** What files below a folder may import. The first folder that matches decides. */
const FLOORS = [
  ...SHARED_ROOMS.map((room) => [`${KIT}${room}/`, SHARED]),
  [`${KIT}auth/`, CORE],
  /* These speak for several features. */
  ...['accounts', 'doctor', 'exceptions', 'openapi', 'testing'].map((room) => [
    `${KIT}${room}/`,
    [...CORE, ...FEATURES.map(aliasOf)],
  ]),
  ...FEATURES.map((feature) => [`${KIT}${feature}/`, [...CORE, aliasOf(feature), STUBS]]),
  ['packages/kit/', [...CORE, ...FEATURES.map(aliasOf), STUBS]],
  ...['app/', 'commands/', 'config/', 'database/', 'providers/', 'start/'].map((folder) => [
    folder,
    APPLICATION,
  ]),
]

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
      } else if (source.startsWith('#') && !allowed.some((prefix) => source.startsWith(prefix))) {
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
