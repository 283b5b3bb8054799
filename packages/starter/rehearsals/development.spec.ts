import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { appName } from '#config/app'
import { copyProject, developIn, runIn } from '#starter/helpers/project_copy'
import { startTogether } from '#starter/helpers/server_process'

test.group('npm run dev', (group) => {
  const started = startTogether(group, {
    /** A fork under another name. */
    async fork(cleanup) {
      const folder = await copyProject(cleanup)
      const config = join(folder, 'config/app.ts')
      const text = await readFile(config, 'utf8')
      await writeFile(config, text.replace(`'${appName}'`, `'Renamed'`))
      const server = await developIn(folder)
      cleanup(() => server.stop())
      await server.prints('watching file system')
      return { folder, ...server }
    },
  })

  test('keeps what it has written on the screen', async ({ assert }) => {
    const { output } = await started.fork
    assert.include(output(), 'Wrote .env with fresh keys.')
    assert.notInclude(output(), '\u001Bc')
  }).timeout(300_000)

  test('a name in config/app.ts is the name on pages and for AI clients', async ({ assert }) => {
    const { url } = await started.fork
    const page = await fetch(`${url}/login`, { headers: { accept: 'text/html' } })
    const html = await page.text()
    assert.include(html, '· Renamed</title>')
    assert.notInclude(html, appName)
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'accept': 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
    })
    assert.include(await answer.text(), '"title":"Renamed"')
  }).timeout(300_000)

  test('a word that is changed in resources/lang is on the next page', async ({ assert }) => {
    const { folder, url, prints } = await started.fork
    const path = join(folder, 'resources/lang/en/pages.json')
    const words = JSON.parse(await readFile(path, 'utf8'))
    words.login.title = 'Step inside'
    await writeFile(path, JSON.stringify(words))
    await prints('resources/lang/en/pages.json')
    let html = ''
    /* Until the server has restarted, the one of before may answer, or none. */
    while (!html.includes('Step inside')) {
      const page = await fetch(`${url}/login`, { headers: { accept: 'text/html' } }).catch(
        () => null
      )
      html = (await page?.text()) ?? ''
    }
    assert.include(html, '<h1>Step inside</h1>')
  }).timeout(120_000)

  test('names file and line of a typo', async ({ assert }) => {
    const { folder, prints, output } = await started.fork
    await appendFile(join(folder, 'start/routes.ts'), '\nconst typo = = 1\n')
    await prints('A file cannot be compiled:')
    await prints('const typo = = 1')
    assert.match(output(), /start\/routes\.ts:\d+:\d+/)
  }).timeout(300_000)
})

const FAILING_SPEC = `import { test } from '@japa/runner'

test('fails', ({ assert }) => assert.equal(1, 2))
`

test.group('npm test', () => {
  test('fails when a suite does, and names it in its last line', async ({ assert, cleanup }) => {
    const folder = await copyProject((end) => cleanup(async () => void (await end())))
    await rm(join(folder, 'packages/starter'), { recursive: true })
    await rm(join(folder, 'tests/functional'), { recursive: true })
    await mkdir(join(folder, 'tests/unit'))
    await writeFile(join(folder, 'tests/unit/fails.spec.ts'), FAILING_SPEC)
    const { code, stdout, stderr } = await runIn(folder, [process.execPath, 'bin/run.js', 'test'])
    assert.equal(code, 1, stderr)
    assert.include(stdout, 'expected 1 to equal 2')
    assert.match(stderr, /(^|\n)These suites failed: unit\.\n$/)
  }).timeout(300_000)
})

test.group('npm ci', () => {
  test('warns of no package that needs a newer Node.js, in the project and in its build', async ({
    assert,
    cleanup,
  }) => {
    const build = await mkdtemp(join(tmpdir(), 'build-'))
    cleanup(() => rm(build, { recursive: true, force: true }))
    assert.include(
      app.rcFile.metaFiles.map(({ pattern }) => pattern),
      '.npmrc'
    )
    for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
      await cp(app.makePath(file), join(build, file))
    }
    const line = 'npm ci --omit=dev --dry-run --offline --no-audit --no-fund'
    const { code, stderr } = await runIn(build, ['bash', '-c', line])
    assert.equal(code, 0, stderr)
    assert.notInclude(stderr, 'EBADENGINE')
  }).timeout(120_000)
})
