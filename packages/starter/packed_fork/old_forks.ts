import { appendFile, copyFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { execute } from '#starter/helpers/execute'
import { linkModules } from '#starter/helpers/link_modules'

/** The section of UPGRADING.md that is followed. */
const SECTION = 'From 0.1.0, 0.2.0, and whatever has a folder modules/'

/** Forks that it is for: what each was made from, and which features it has taken out. */
export const OLD_FORKS = [
  { name: '0.1.0', commit: 'a9cb0cd6', removed: [] },
  { name: 'the last with modules/', commit: 'a8773074', removed: ['mcp', 'passkeys'] },
]

export type OldFork = (typeof OLD_FORKS)[number]

const ROUTE = `
router.get('/notes', [controllers.Notes, 'index']).use(middleware.auth({ guards: ['web', 'api'] }))
`

/** What the fork has of its own, beside the route. */
const OWN_FILES = {
  'database/migrations/2026_11_21_900000_create_notes_table.ts': `import { BaseSchema } from '@adonisjs/lucid/schema'

export default class extends BaseSchema {
  async up() {
    this.schema.createTable('notes', (table) => {
      table.increments('id')
      table.integer('user_id').notNullable()
    })
  }

  async down() {
    this.schema.dropTable('notes')
  }
}
`,
  'app/controllers/notes_controller.ts': `import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

import { currentUser } from '#auth/protection'

export default class NotesController {
  async index(ctx: HttpContext) {
    const user = await currentUser(ctx)
    return { notes: await db.from('notes').where({ user_id: user.id }) }
  }
}
`,
  'tests/functional/notes.spec.ts': `import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'

test.group('Notes', () => {
  test('are for people who have signed in', async ({ client }) => {
    const stranger = await client.get('/notes').accept('json')
    stranger.assertStatus(401)
    const user = await UserFactory.create()
    const response = await client.get('/notes').as(user)
    response.assertStatus(200)
    response.assertBody({ notes: [] })
  })
})
`,
}

/** The commands of the section, one item a block. */
async function commands(): Promise<string[]> {
  const [, text] = (await readFile('UPGRADING.md', 'utf8')).split(`## ${SECTION}`)
  return [...text!.split('\n## ')[0]!.matchAll(/^ +```text\n([^]*?)^ +```/gm)].map(
    ([, block]) => block!
  )
}

/** Whether the history of this clone has what the fork was made from. */
export async function isKnown({ commit }: OldFork): Promise<boolean> {
  const asked = ['cat-file', '-e', commit]
  return (await execute('git', asked, { cwd: '.', codes: [0, 128] })).code === 0
}

/** Makes an old fork in a folder, and brings it to this version as UPGRADING.md says, but for "npm install". */
export async function upgradeOldFork(folder: string, { commit, removed }: OldFork) {
  const run = (command: string, codes = [0]) =>
    execute('bash', ['-euo', 'pipefail', '-c', command], { cwd: folder, codes })
  const upstream = resolve('.')
  await execute('git', ['clone', '-q', '--no-checkout', upstream, folder], { cwd: upstream })
  await run('git config user.name Fork && git config user.email fork@example.com')
  await run(`git remote rename origin upstream && git checkout -q -b mine ${commit}`)
  await run('git fetch -q upstream +HEAD:refs/remotes/upstream/main')
  await linkModules(resolve('node_modules'), folder)
  await copyFile('.env.test', join(folder, '.env'))
  if (removed.length) await run(`node ace.js feature:remove ${removed.join(' ')} --yes`)
  for (const [path, text] of Object.entries(OWN_FILES)) await writeFile(join(folder, path), text)
  const routes = join(folder, 'start/routes.ts')
  await appendFile(routes, ROUTE)
  await run('git add --all && git commit -q -m "My product"')

  const [, merge, take, comeBack, rename] = await commands()
  await run(merge!.replace('merge upstream/main', 'merge -q upstream/main'), [0, 1])
  await run(take!)
  if (removed.length) await run(comeBack!)
  await run(
    `git status --porcelain | awk '$1 == "UU" { print $2 }' | xargs -r git checkout -q --theirs --`
  )
  if (!(await readFile(routes, 'utf8')).includes(ROUTE)) await appendFile(routes, ROUTE)
  await run('git add --all && git commit -q -m "The kit is a package"')
  await run(rename!)
}
