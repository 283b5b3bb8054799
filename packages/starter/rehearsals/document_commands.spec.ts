import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import ace from '@adonisjs/core/services/ace'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import User from '#models/user'
import { type CodeBlock, codeBlocks } from '#starter/helpers/document_blocks'
import { startServer, startTogether } from '#starter/helpers/server_process'

const blocks = codeBlocks('sh')
const blocksOf = (document: string) => blocks.filter((block) => block.document === document)

/** What follows a program in the blocks, one command each. */
function commands(program: RegExp) {
  return blocks.flatMap(({ document, line, code }) =>
    code.split('\n').flatMap((row, index) =>
      [...row.replace(/\s+#.*$/, '').matchAll(program)].map((match) => ({
        at: `${document}:${line + index}`,
        command: match[1]!.trim(),
        words: match[1]!.trim().split(/\s+/),
      }))
    )
  )
}

/** Runs a block in an empty folder, with "curl" failing on an error status and "node ace" being this application's. */
async function run({ code }: CodeBlock, folder: string, env: Record<string, string>) {
  const functions = [
    'set -euo pipefail',
    'curl() { command curl -fsS "${@/http:\\/\\/localhost:3333/$SERVER}"; }',
    `node() { (cd "${app.makePath()}" && "${process.execPath}" "\${1/ace/ace.js}" "\${@:2}"); }`,
  ]
  const child = spawn('bash', ['-c', [...functions, code].join('\n')], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: child.exitCode, stdout, stderr }
}

const printed = (stdout: string, label: string) =>
  [...stdout.matchAll(new RegExp(`^${label}: (\\S+)$`, 'gm'))].at(-1)![1]!

test.group('Commands of the documents', (group) => {
  const started = startTogether(group, {
    server: (cleanup) => startServer({}, { cleanup }),
    folder: async (cleanup) => {
      const folder = await mkdtemp(join(tmpdir(), 'documents-'))
      cleanup(() => rm(folder, { recursive: true, force: true }))
      return folder
    },
    clients: () => run(blocksOf('docs/oauth.md')[0]!, app.makePath(), {}),
  })

  test('every "npm run" names a script', async ({ assert }) => {
    const { scripts } = JSON.parse(await readFile(app.makePath('package.json'), 'utf8'))
    const found = commands(/(?:npm run )([^&|;)]+)/g)
    assert.isAbove(found.length, 4)
    for (const { at, words } of found) assert.property(scripts, words[0]!, at)
  })

  test('every "node ace" names a command and its flags', async ({ assert }) => {
    await ace.boot()
    const found = commands(/(?:node ace )([^&|;)]+)/g)
    assert.isAbove(found.length, 3)
    for (const { at, words, command: line } of found) {
      const { flags } = ace.getCommand(words[0]!)!
      const names = flags.map((flag) => String(flag.flagName))
      for (const [, flag] of line.matchAll(/ --([\w-]+)/g)) assert.include(names, flag!, at)
    }
  })

  test('every file that a command names exists', async ({ assert }) => {
    const files = commands(/(\b(?:benchmarks|tests|bin)\/[\w/.-]+)/g).map(({ words }) => words[0]!)
    /* The page on the first feature makes its own. */
    const specs = commands(/--files (\S+)/g)
      .filter(({ at }) => !at.startsWith('docs/first-feature.md'))
      .map(({ words }) => words[0]!)
    for (const file of files) await assert.doesNotReject(() => access(app.makePath(file)), file)
    for (const name of specs) {
      await assert.doesNotReject(
        () => access(app.makePath(`tests/functional/${name}.spec.ts`)),
        name
      )
    }
  })

  test('the tour of the README registers, signs in, and signs out', async ({ assert, cleanup }) => {
    cleanup(async () => {
      await User.query().where('email', 'ann@example.com').delete()
    })
    const [, tour] = blocksOf('README.md')
    const { code, stdout, stderr } = await run(
      { ...tour!, code: tour!.code.replace('http://localhost:3333', '$SERVER') },
      await started.folder,
      { SERVER: await started.server }
    )
    assert.equal(code, 0, stderr)
    assert.include(stdout, '"guard":"web"')
    assert.match(stdout, /\{"user":null\}$/)
  })

  test('the clients of the page on OAuth are registered, and the last one gets a token', async ({
    assert,
  }) => {
    const { code, stdout, stderr } = await started.clients
    assert.equal(code, 0, stderr)
    const token = await run(blocksOf('docs/oauth.md')[1]!, await started.folder, {
      SERVER: await started.server,
      id: printed(stdout, 'Client ID'),
      secret: printed(stdout, 'Client secret'),
    })
    assert.equal(token.code, 0, token.stderr)
    assert.equal(JSON.parse(token.stdout).scope, 'posts:read')
  })
})
