import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { copyProject, runIn } from '#tests/helpers/project_copy'
import { freePort } from '#tests/helpers/server_process'

/** The development server of a copy, without a terminal. */
async function develop(folder: string) {
  const child = spawn(process.execPath, ['bin/run.js', 'dev'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, NO_COLOR: '1', PORT: String(await freePort()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
      child.emit('output')
    })
  }
  return {
    output: () => output,
    async prints(text: string) {
      while (!output.includes(text)) await once(child, 'output')
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

test.group('npm run dev', () => {
  test('keeps what it has written on the screen, and names file and line of a typo', async ({
    assert,
    cleanup,
  }) => {
    const folder = await copyProject((callback) => cleanup(async () => void (await callback())))
    const server = await develop(folder)
    cleanup(() => server.stop())
    await server.prints('started HTTP server')
    await server.prints('watching file system')
    assert.include(server.output(), 'Wrote .env with fresh keys.')
    assert.notInclude(server.output(), '\u001Bc')

    await appendFile(join(folder, 'start/routes.ts'), '\nconst typo = = 1\n')
    await server.prints('A file cannot be compiled:')
    await server.prints('const typo = = 1')
    assert.match(server.output(), /start\/routes\.ts:\d+:\d+/)
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
