import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { fsReadAll } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { ESLint } from 'eslint'

/** A file of the kit as the kit imports it. */
const inKit = (path: string) => `#${path}`

const KIT = [inKit('http/errors'), inKit('security/secrets')]
const CORE = [inKit('auth/manager')]
const FEATURES: Record<string, string> = {
  api_token: inKit('api_token/guard'),
  json_api: inKit('json_api/json_resource'),
  mcp: inKit('mcp/server'),
  oauth2: inKit('oauth2/guard'),
  password_reset: inKit('password_reset/password_resets'),
  session: inKit('session/guard'),
  throttle: inKit('throttle/limiter_throttle'),
}
/* Not `#config` and `#database`: the application and the kit have a folder of that name each. */
const APPLICATION = [
  '#abilities/main',
  '#commands/auth_user',
  '#controllers/session_controller',
  '#events/note_written',
  '#exceptions/handler',
  '#generated/controllers',
  '#listeners/tell_author',
  '#mails/welcome_mail',
  '#middleware/container_bindings_middleware',
  '#models/user',
  '#policies/note_policy',
  '#providers/auth_provider',
  '#resources/post_resource',
  '#services/posts',
  '#start/env',
  '#transformers/user_transformer',
  '#validators/user',
]
const TESTS = ['#starter/helpers/visitor']
const EVERYTHING = [...KIT, ...CORE, ...Object.values(FEATURES), ...APPLICATION, ...TESTS]

/** What each folder may import; everything else is refused. */
const FLOORS = [
  ...['config', 'database', 'http', 'mail', 'process', 'security'].map((room) => ({
    folder: `packages/kit/src/${room}`,
    allowed: KIT,
  })),
  { folder: 'packages/kit/src/auth', allowed: [...KIT, ...CORE] },
  { folder: 'packages/kit/src/auth/user_providers', allowed: [...KIT, ...CORE] },
  ...Object.entries(FEATURES).map(([name, own]) => ({
    folder: `packages/kit/src/${name}`,
    allowed: [...KIT, ...CORE, own],
  })),
  {
    folder: 'packages/kit/src/oauth2/grants',
    allowed: [...KIT, ...CORE, inKit('oauth2/guard')],
  },
  ...[
    'app/controllers',
    'app/models',
    'app/mcp/tools',
    'start',
    'config',
    'providers',
    'commands',
    'database/factories',
  ].map((folder) => ({
    folder,
    allowed: [...APPLICATION, 'adonis-auth-kit/oauth2/guard'],
  })),
]

const eslint = new ESLint({
  cwd: app.makePath(),
  /* The files do not exist, and the walls need no types. */
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId.startsWith('house/'),
})

/** The sources that the lint refuses in a file of this folder. */
async function refused(folder: string, sources: string[], write: (source: string) => string) {
  const text = sources.map(write).join('\n')
  const [result] = await eslint.lintText(text, { filePath: app.makePath(folder, 'file.ts') })
  return sources.filter((_, index) =>
    result!.messages.some(({ ruleId, line }) => ruleId === 'house/walls' && line === index + 1)
  )
}

test.group('Walls', () => {
  test('{folder} may import what is below it, and nothing else')
    .with(FLOORS)
    .run(async ({ assert }, { folder, allowed }) => {
      assert.deepEqual(
        await refused(folder, EVERYTHING, (source) => `import ${JSON.stringify(source)}`),
        EVERYTHING.filter((source) => !allowed.includes(source))
      )
    })

  test('{name} is judged like every other import')
    .with([
      { name: 'a type import', write: (source: string) => `import type { A } from '${source}'` },
      {
        name: 'an import inside a function',
        write: (source: string) => `void (() => import('${source}'))`,
      },
      { name: 'an import in a type', write: (source: string) => `let a: import('${source}').A` },
      { name: 'a re-export', write: (source: string) => `export { A } from '${source}'` },
      { name: 'an export of everything', write: (source: string) => `export * from '${source}'` },
      { name: 'a module augmentation', write: (source: string) => `declare module '${source}' {}` },
    ])
    .run(async ({ assert }, { write }) => {
      assert.deepEqual(
        await refused(
          'packages/kit/src/auth',
          [inKit('http/errors'), inKit('session/guard')],
          write
        ),
        [inKit('session/guard')]
      )
    })

  test('no floor imports by a relative path, which would hide the wall', async ({ assert }) => {
    const sources = ['../http/errors.js', './errors.js']
    assert.deepEqual(
      await refused('packages/kit/src/auth', sources, (source) => `import '${source}'`),
      sources
    )
  })
})

test.group('Guards', () => {
  test('the kit names none: their names are those of config/auth.ts', async ({ assert }) => {
    const folder = app.makePath('packages/kit/src')
    const files = await fsReadAll(folder, { filter: (path) => path.endsWith('.ts') })
    const named = files.filter((file) => {
      const text = readFileSync(join(folder, file), 'utf8').replace(/\/\*.*?\*\//gs, '')
      return /usersOf\('|(auth|authenticator)\.use\('|guards: \['/.test(text)
    })
    assert.deepEqual(named, [])
  })
})

test.group('Circles', () => {
  /** What is said of a text that would replace a file which the manager imports. */
  async function circles(text: string) {
    const [result] = await eslint.lintText(text, {
      filePath: app.makePath('packages/kit/src/auth/errors.ts'),
    })
    return result!.messages.map(({ message }) => message)
  }

  test('files may not import values of each other', async ({ assert }) => {
    const [message] = await circles(`import {\n  AuthManager,\n} from '${inKit('auth/manager')}'`)
    assert.match(
      message!,
      /^This import closes a circle: packages\/kit\/src\/auth\/manager.ts → .*errors.ts.$/
    )
    assert.lengthOf(await circles(`export { AuthManager } from '${inKit('auth/manager')}'`), 1)
  })

  test('imports of types, and imports inside functions, close no circle', async ({ assert }) => {
    for (const text of [
      `import type { AuthManager } from '${inKit('auth/manager')}'`,
      `import { type AuthManager, type Other } from '${inKit('auth/manager')}'`,
      `export type { AuthManager } from '${inKit('auth/manager')}'`,
      `export const load = () => import('${inKit('auth/manager')}')`,
    ]) {
      assert.deepEqual(await circles(text), [], text)
    }
  })
})
