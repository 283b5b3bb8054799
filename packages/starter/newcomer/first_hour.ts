import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'

import { execute } from '#starter/helpers/execute'
import { freePort } from '#starter/helpers/server_process'

import { answersIn } from '../deployment/servers.js'

type Env = Record<string, string>

/** What the README promises of its first command, and its tour with curl. @returns the version of Node.js that a newcomer has */
export async function firstHour(folder: string, env: Env): Promise<string> {
  await rm(join(folder, '.env'), { force: true })
  const port = String(await freePort([12_000, 20_000]))
  const url = `http://localhost:${port}`
  const settings = { ...env, HOST: 'localhost', PORT: port, APP_URL: url }
  const { output } = await execute('node', ['--version'], { cwd: folder, env })

  let printed = ''
  const command = spawn('npm', ['run', 'dev'], {
    cwd: folder,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    /* A group of processes, which ends together. */
    detached: true,
  })
  for (const stream of [command.stdout!, command.stderr!]) {
    stream.on('data', (chunk) => (printed += chunk))
  }
  try {
    await answersIn(`${url}/health`, () =>
      command.exitCode === null ? null : `"npm run dev" has ended: ${printed}`
    )
    assert.match(printed, /Wrote \.env with fresh keys\./)
    await execute('node', ['ace', 'db:seed'], { cwd: folder, env: settings })
    await showsTheStartPage(url)
    await takesTheTour(folder, url)
  } finally {
    await stop(command)
  }
  return output.trim()
}

async function showsTheStartPage(url: string) {
  const page = await fetch(url, { headers: { accept: 'text/html' } })
  assert.equal(page.status, 200)
  const html = await page.text()
  assert.ok(/<a href="\/posts\/\d+"/.test(html), 'no seeded posts')
  assert.ok(html.includes(`${url}/mcp`), 'no URL for AI clients')
}

/** The README's own lines, with another address. */
async function takesTheTour(project: string, url: string) {
  const readme = await readFile(join(project, 'README.md'), 'utf8')
  const [, tour] = /^```sh\n(api=[^]*?)^```$/m.exec(readme)!
  const folder = await mkdtemp(join(project, 'tmp', 'tour-'))
  const lines = [
    'set -euo pipefail',
    'curl() { command curl -fsS --max-time 60 "$@"; }',
    tour!.replace(/^api=.*$/m, `api=${url}`),
  ]
  const { output } = await execute('bash', ['-c', lines.join('\n')], { cwd: folder })
  assert.match(output, /"guard":"web"/)
  assert.match(output, /\{"user":null\}$/)
}

async function stop(command: ChildProcess) {
  if (command.exitCode === null) {
    const ended = once(command, 'close')
    process.kill(-command.pid!, 'SIGTERM')
    await ended
  }
}

/** `npm test` with the name of a file, as CONTRIBUTING.md says. */
export async function runsTests(folder: string, env: Env): Promise<void> {
  const { output } = await execute('npm', ['test', '--', 'unit', '--files', 'unit/words'], {
    cwd: folder,
    env,
  })
  assert.match(output, /Tests +\S*\d+ passed/)
}
