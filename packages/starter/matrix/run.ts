/*
|--------------------------------------------------------------------------
| npm run matrix, or npm run matrix -- mcpc
|--------------------------------------------------------------------------
|
| Connects the MCP clients of programs/package.json, and no copies of them, to
| this application, on a database of its own: each gets its client_id in every
| way that it knows, signs a person in on the pages, reads, writes, calls three
| times at once after its token has expired, and comes back after it was
| disconnected. Prints what happened as a table, and writes it into docs/mcp.md
| when all programs ran. It fails when a step does.
|
*/

import 'reflect-metadata'
import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { freePort, runScript } from '#starter/helpers/server_process'

import { PROGRAMS } from './programs.js'
import { rowsOf, table, writeTable } from './table.js'

const installation = fileURLToPath(new URL('./programs/', import.meta.url))

const [wanted = ''] = process.argv.slice(2)
const programs = PROGRAMS.filter(({ name }) => name.includes(wanted))
if (programs.length === 0) throw new Error(`There is no program "${wanted}"`)

/** Installs the programs, unless that was done since their versions changed. */
function install() {
  const changed = statSync(join(installation, 'package-lock.json')).mtimeMs
  const done = statSync(join(installation, 'node_modules/.package-lock.json'), {
    throwIfNoEntry: false,
  })
  if (done && done.mtimeMs >= changed) return
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status } = spawnSync('npm', args, { cwd: installation, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

install()
const folder = await mkdtemp(join(tmpdir(), 'matrix-'))
const port = String(await freePort())
const url = `http://127.0.0.1:${port}`
Object.assign(process.env, {
  NODE_ENV: 'test',
  HOST: '127.0.0.1',
  PORT: port,
  APP_URL: url,
  OAUTH_ISSUER: url,
  OAUTH_DYNAMIC_REGISTRATION: 'true',
  DB_CONNECTION: 'sqlite',
  SQLITE_FILE: join(folder, 'db.sqlite3'),
})
const { code, stdout, stderr } = await runScript('bin/console.ts', ['db:prepare', '--fresh'])
if (code !== 0) throw new Error(`"node ace db:prepare" failed: ${stdout}${stderr}`)

/* A "browser" that does nothing: programs also print what they open. */
await mkdir(join(folder, 'bin'))
await symlink('/bin/true', join(folder, 'bin', 'xdg-open'))

const { serve } = await import('./serve.js')
const stop = await serve()
const { Round, WAYS } = await import('./round.js')
const { DocumentServer } = await import('#starter/helpers/document_server')
const site = new DocumentServer()
await site.start()

const rows = []
for (const program of programs) {
  const results = []
  for (const way of WAYS) {
    const result = await new Round({ program, way, url, folder, site }).run()
    results.push(result)
    process.stdout.write(`${program.name}, ${way}: ${result.cells.join(' | ')}\n`)
    if (result.error) process.stdout.write(`${result.error}\n`)
  }
  rows.push(...rowsOf(program, results))
}

await site.stop()
await stop()
await rm(folder, { recursive: true })

process.stdout.write(`\n${table(rows)}\n`)
const fails = rows.some(({ cells }) => cells.includes('fails'))
if (!fails && programs.length === PROGRAMS.length) writeTable(table(rows))
process.exit(fails ? 1 : 0)
