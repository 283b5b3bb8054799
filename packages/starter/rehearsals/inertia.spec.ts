import {
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { hasBrowser, openPage } from '#starter/helpers/chromium'
import { pageBlocks } from '#starter/helpers/document_blocks'
import { execute } from '#starter/helpers/execute'
import { follow } from '#starter/helpers/page_steps'
import { copyProject, developIn, startBuild } from '#starter/helpers/project_copy'
import { startTogether } from '#starter/helpers/server_process'

/** The packages that a block installs, as "name@version". */
const packagesOf = (code: string) => code.match(/(?<= )@?[\w/-]+@[\d.]+/g)!

/** Puts packages beside those of a copy, which are links to this project's: npm would install all of them anew. */
async function addPackages(copy: string, names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'packages-'))
  await writeFile(join(folder, 'package.json'), '{}')
  const flags = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  await execute('npm', ['install', ...flags, ...names], { cwd: folder })
  await merge(
    join(folder, 'node_modules'),
    join(copy, 'node_modules'),
    app.makePath('node_modules')
  )
  await rm(folder, { recursive: true })
}

/** Moves what is not there; a scope is a folder of packages. */
async function merge(from: string, to: string, linked: string) {
  const there = await readdir(to)
  for (const name of await readdir(from)) {
    if (!there.includes(name)) {
      await rename(join(from, name), join(to, name))
    } else if (name.startsWith('@')) {
      await unlink(join(to, name))
      await mkdir(join(to, name))
      for (const one of await readdir(join(linked, name))) {
        await symlink(join(linked, name, one), join(to, name, one))
      }
      await merge(join(from, name), join(to, name), linked)
    }
  }
}

/** What `vite build --watch` of the document does at its start, and again after a change. */
const buildPages = (copy: string) =>
  execute('node', ['node_modules/vite/bin/vite.js', 'build', '--mode', 'development'], {
    cwd: copy,
  })

/** Opens the page that the document writes, as nobody. */
async function visit(baseURL: string) {
  const page = await openPage({ baseURL })
  const complaints: string[] = []
  page.on('console', (one) => one.type() === 'error' && complaints.push(one.text()))
  await page.goto('/hello')
  await page.getByText('Hello, stranger').waitFor({ timeout: 30_000 })
  return { page, complaints }
}

test.group('docs/inertia.md', (group) => {
  group.each.skip(!hasBrowser, 'No Chromium is installed')
  const started = startTogether(group, {
    async servers(cleanup) {
      const copy = await copyProject(cleanup)
      const [install, ...blocks] = pageBlocks('docs/inertia.md')
      await addPackages(copy, packagesOf(install!.code))
      for (const block of blocks) await follow(copy, block, {})
      const tsc = join(copy, 'node_modules/typescript/bin/tsc')
      await execute('node', [tsc, '--project', 'inertia'], { cwd: copy })
      await execute('node', ['bin/run.js', 'build'], { cwd: copy })
      const folder = join(copy, 'build')
      const built = await startBuild(folder, join(folder, 'production.sqlite3'), cleanup)
      await buildPages(copy)
      const developed = await developIn(copy)
      cleanup(() => developed.stop())
      await developed.prints('watching file system')
      return { copy, built, developed: developed.url }
    },
  })

  test('leads to a page that React draws, under the policy of the others', async ({ assert }) => {
    const { built } = await started.servers
    const { page, complaints } = await visit(built)

    await page.goto('/register')
    await page.getByLabel('E-mail address').fill('ann@example.com')
    await page.getByLabel('Password', { exact: true }).fill('a secret of mine')
    await page.getByLabel('Password again').fill('a secret of mine')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.waitForURL('**/account')
    await page.goto('/hello')
    await page.getByText('Hello, ann@example.com').waitFor()
    assert.deepEqual(complaints, [])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await page.getByText('You are signed out.').waitFor()
  }).timeout(600_000)

  test('is drawn from the same files, under the same policy, while developing', async ({
    assert,
  }) => {
    const { copy, developed } = await started.servers
    const { page, complaints } = await visit(developed)
    assert.deepEqual(complaints, [])
    const hello = join(copy, 'inertia/pages/hello.tsx')
    await writeFile(hello, (await readFile(hello, 'utf8')).replace('It is', 'We write'))
    await buildPages(copy)
    await page.reload()
    await page.getByText('We write').waitFor()
    assert.deepEqual(complaints, [])
  }).timeout(600_000)
})
