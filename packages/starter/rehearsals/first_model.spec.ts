import { readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { test } from '@japa/runner'

import { COPY_VARIABLES, aceIn, copyDatabase, copyProject } from '#starter/helpers/project_copy'
import { type Cleanup, startTogether } from '#starter/helpers/server_process'

const SCHEMA = 'database/schema.ts'

const RESOURCE = `
import { JsonResource } from '#kit/json_api/json_resource'
import Note from '#models/note'

export default class NoteResource extends JsonResource<Note> {}
`

const TOOL = `
import { Response } from '#kit/mcp/response'
import { Tool } from '#kit/mcp/primitives'
import Note from '#models/note'

export default class CountNotes extends Tool {
  static override name = 'count_notes'
  static description = 'Counts the notes.'

  async handle() {
    return Response.text(String((await Note.all()).length))
  }
}
`

/** A copy of the project, and a function that runs ace commands in it. */
async function prepare(cleanup: Cleanup) {
  const folder = await copyProject(cleanup)
  const variables = { ...COPY_VARIABLES, ...copyDatabase(cleanup) }
  const ace = (...args: string[]) => aceIn(folder, args, variables)
  const read = (path: string) => readFile(join(folder, path), 'utf8')
  const write = (path: string, content: string) => writeFile(join(folder, path), content)
  const replace = async (path: string, from: string | RegExp, to: string) =>
    write(path, (await read(path)).replace(from, to))
  return { folder, ace, read, write, replace }
}

/** A class, its blank line included. */
const classOf = (name: string) => new RegExp(`export class ${name} [^]*?^}\\n\\n?`, 'm')

test.group('A first model', (group) => {
  const started = startTogether(group, {
    /** The model and everything that uses it, and the table last. */
    async tableLast(cleanup) {
      const { ace, read, write, replace } = await prepare(cleanup)
      const model = await ace('make:model', 'Note')
      await write('app/mcp/tools/count_notes.ts', TOOL)
      await replace('app/mcp/servers/blog_server.ts', 'return [', 'return [CountNotes, ')
      await replace(
        'app/mcp/servers/blog_server.ts',
        /^/,
        `import CountNotes from '#mcp/tools/count_notes'\n`
      )
      const codegen = await ace('codegen')
      await write('app/resources/note_resource.ts', RESOURCE)
      await replace('start/routes.ts', /^/m, `import '#models/note'\n`)
      const early = await ace('list:routes')
      const migration = await ace('make:migration', 'notes')
      const migrated = await ace('db:prepare')
      const late = await ace('mcp:list')
      return { model, codegen, early, migration, migrated, late, schema: await read(SCHEMA) }
    },

    /** A feature whose tables and classes are not there, and whose provider is listed. */
    async published(cleanup) {
      const { folder, ace, read, replace } = await prepare(cleanup)
      const before = await read(SCHEMA)
      const migrations = join(folder, 'database/migrations')
      for (const name of await readdir(migrations)) {
        if (name.includes('two_factor')) await rm(join(migrations, name))
      }
      for (const name of ['TwoFactorSecretSchema', 'TwoFactorRecoveryCodeSchema']) {
        await replace(SCHEMA, classOf(name), '')
      }
      const without = await read(SCHEMA)
      const published = await ace('provider:publish', '-p', 'auth-two-factor')
      const migrated = await ace('db:prepare')
      const routes = await ace('list:routes')
      return { before, without, published, migrated, routes, after: await read(SCHEMA) }
    },

    async fromNothing(cleanup) {
      const { ace, read, write } = await prepare(cleanup)
      const before = await read(SCHEMA)
      await write(SCHEMA, 'export {}\n')
      const migrated = await ace('db:prepare')
      const first = await read(SCHEMA)
      const rolledBack = await ace('migration:rollback')
      const migratedAgain = await ace('migration:run')
      return { before, migrated, first, rolledBack, migratedAgain, after: await read(SCHEMA) }
    },
  })

  test('may be used by an MCP tool, a resource and a route before its table exists', async ({
    assert,
  }) => {
    const { model, codegen, migration, migrated, late, schema } = await started.tableLast
    for (const step of [model, codegen, migration, migrated, late]) {
      assert.equal(step.code, 0, step.stdout + step.stderr)
    }
    assert.match(schema, classOf('NoteSchema'))
    assert.include(late.stdout, 'count_notes')
  }).timeout(600_000)

  test('without its schema class stops with one sentence that names the command', async ({
    assert,
  }) => {
    const { early } = await started.tableLast
    assert.equal(early.code, 1)
    assert.match(
      early.stdout + early.stderr,
      /^\s*ERROR\s+There is no NoteSchema in database\/schema\.ts: run "node ace migration:run" [^\n]+\n$/
    )
  }).timeout(600_000)

  test('of a feature may be published while its provider is listed', async ({ assert }) => {
    const { before, without, published, migrated, routes, after } = await started.published
    assert.notMatch(without, classOf('TwoFactorSecretSchema'))
    for (const step of [published, migrated, routes]) {
      assert.equal(step.code, 0, step.stdout + step.stderr)
    }
    assert.equal(after, before)
  }).timeout(600_000)

  test('needs no class of the schema: both databases write all of them, and the same', async ({
    assert,
  }) => {
    const { before, migrated, first, rolledBack, migratedAgain, after } = await started.fromNothing
    for (const step of [migrated, rolledBack, migratedAgain]) {
      assert.equal(step.code, 0, step.stdout + step.stderr)
    }
    assert.equal(first, before)
    assert.equal(after, before)
  }).timeout(600_000)
})
