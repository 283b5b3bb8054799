import { globSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import {
  COPY_VARIABLES,
  aceIn,
  copyDatabase,
  copyProject,
  runIn,
} from '#starter/helpers/project_copy'
import { startTogether, TYPESCRIPT } from '#starter/helpers/server_process'

const MAKE_FILES = 'packages/starter/helpers/fixtures/make_files.ts'

/** Command lines of every "make" command, one after the other. */
const LINES = [
  'migration sheets',
  'migration add_colour_to_sheets --alter=sheets',
  'model Sheet',
  'factory Sheet',
  'json-resource Sheet --to-one=author:User',
  'policy Sheet',
  'policy Comment edit remove',
  'transformer Sheet',
  'validator sheet',
  'validator folder --resource',
  'controller Sheet',
  'controller Folder --resource',
  'controller Shelf --api',
  'controller Drawer index show',
  'event SheetWritten',
  'listener CountSheets',
  'listener TellAuthor --event=SheetRead',
  'middleware Archive --stack=named',
  'exception SheetLost',
  'mail Welcome',
  'service Archive',
  'view sheets/show',
  'preload sheets --register',
  'provider sheets --register',
  'seeder Sheet',
  'command SweepSheets',
  'test sheets/list --suite=functional',
  'mcp-server sheets',
  'mcp-tool fold_sheet',
  'mcp-prompt describe_sheet',
  'mcp-resource sheet',
  'mcp-resource sheet_page --template',
  'mcp-app sheet_card',
]

/** What docs/accounts.md lets an application declare: types of its own that the kit knows. */
const DECLARATIONS = `
declare module 'adonis-auth-kit/auth/throttle' {
  interface ThrottledActions {
    smsCodes: true
  }
}

declare module 'adonis-auth-kit/auth/security_events' {
  interface SecurityEvents {
    phone_changed: { from: string; to: string }
  }
}
`

/** Declares an action and an event in config/throttle.ts, and sets the limits of the action. */
async function declareOwn(folder: string) {
  const path = join(folder, 'config/throttle.ts')
  const text = await readFile(path, 'utf8')
  const limited = text.replace('defineConfig({', 'defineConfig({ smsCodes: {},')
  await writeFile(path, limited + DECLARATIONS)
}

const BOUNCER = 'app/middleware/initialize_bouncer_middleware.ts'

/** Adds `ctx.bouncer`, and gives its users the type of docs/first-feature.md. */
async function addBouncer(folder: string, variables: Record<string, string>) {
  const configured = await aceIn(folder, ['configure', '@adonisjs/bouncer'], variables)
  const path = join(folder, BOUNCER)
  const text = await readFile(path, 'utf8')
  const page = await readFile(app.makePath('docs/first-feature.md'), 'utf8')
  const [, type] = /`(NonNullable<[^`]+>)`/.exec(page)!
  await writeFile(path, text.replace("Exclude<HttpContext['auth']['user'], undefined>", type!))
  return configured
}

/** Files that commands make, by their paths. */
const sourcesIn = (folder: string) =>
  globSync('{app,commands,database,providers,resources,start,tests}/**/*.{ts,edge}', {
    cwd: folder,
  })

test.group('node ace make', (group) => {
  const started = startTogether(group, {
    async made(cleanup) {
      const folder = await copyProject(cleanup)
      const variables = { ...COPY_VARIABLES, ...copyDatabase(cleanup) }
      const before = new Set(sourcesIn(folder))
      const node = (...args: string[]) => runIn(folder, [process.execPath, ...args], variables)
      const steps = [
        await node(TYPESCRIPT, MAKE_FILES, ...LINES),
        await aceIn(folder, ['db:prepare'], variables),
        await addBouncer(folder, variables),
        await aceIn(folder, ['codegen'], variables),
      ]
      const failures = steps.filter(({ code }) => code !== 0)
      await declareOwn(folder)
      const types = await node(join('node_modules', 'typescript', 'bin', 'tsc'), '--noEmit')
      const files = sourcesIn(folder).filter((file) => !before.has(file))
      const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
      return { failures, types, files: files.map((name, at) => ({ name, text: contents[at]! })) }
    },
  })

  test('every command is tried', async ({ assert }) => {
    await ace.boot()
    const tried = LINES.map((line) => `make:${line.split(' ')[0]}`)
    const commands = ace.getNamespaceCommands('make').map(({ commandName }) => commandName)
    assert.sameMembers([...new Set(tried)], commands)
  })

  test('what the commands write compiles, with actions and events that the application declares', async ({
    assert,
  }) => {
    const { failures, types } = await started.made
    assert.deepEqual(failures, [])
    assert.equal(types.stdout, '')
    assert.equal(types.code, 0)
  }).timeout(600_000)

  test('ctx.bouncer compiles with the type of users that docs/first-feature.md names', async ({
    assert,
  }) => {
    const { files, types } = await started.made
    const middleware = files.find(({ name }) => name === BOUNCER)
    assert.include(middleware!.text, "NonNullable<HttpContext['auth']['user']>")
    assert.notInclude(types.stdout, BOUNCER)
  }).timeout(600_000)

  test('what they write ends in a newline', async ({ assert }) => {
    const { files } = await started.made
    assert.isAtLeast(files.length, LINES.length)
    assert.deepEqual(
      files.filter(({ text }) => !text.endsWith('\n')).map(({ name }) => name),
      []
    )
  }).timeout(600_000)
})
