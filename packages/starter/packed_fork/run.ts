/*
|--------------------------------------------------------------------------
| .ci/rehearse_package
|--------------------------------------------------------------------------
|
|   node --import=@poppinss/ts-exec packages/starter/packed_fork/run.ts FOLDER TARBALL
|
| FOLDER is a copy of this version, TARBALL the packed kit. The copy becomes a fork that
| has no packages/ and takes the kit as a package: its types, its build and its own
| tests have to pass, the built server has to answer, and the next version of the kit
| brings nothing of features that were removed.
|
*/

import assert from 'node:assert/strict'
import { readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { startBuilt } from '#starter/existing_app/server'
import { execute } from '#starter/helpers/execute'
import { brokenExports, installPacked } from '#starter/helpers/packed_kit'
import { step } from '#starter/helpers/steps'

import { upgradeWithoutFeatures } from './upgrade.js'

const [folder = '', tarball = ''] = process.argv.slice(2)
const npm = async (...args: string[]) => execute('npm', args, { cwd: folder })

async function install() {
  /* Upstream's, like the benchmarks of its sources. */
  for (const upstream of ['packages', 'benchmarks']) {
    await rm(join(folder, upstream), { recursive: true })
  }
  const file = join(folder, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  delete manifest.workspaces
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`)
  await installPacked(folder, tarball, resolve('node_modules'))
  assert.deepEqual(await brokenExports(join(folder, 'node_modules/adonis-auth-kit')), [])
  /* Older than the installation, so that nothing is installed: see bin/run.js. */
  await utimes(join(folder, 'package-lock.json'), 0, 0)
}

async function answers() {
  await symlink(join(folder, 'node_modules'), join(folder, 'build/node_modules'))
  const server = await startBuilt(folder)
  try {
    assert.equal((await fetch(`${server.url}/health/live`)).status, 200)
  } finally {
    await server.stop()
  }
}

await step('A fork without packages/', install)
await step('Types', () => npm('run', 'typecheck').then(() => undefined))
await step('Build', () => npm('run', 'build').then(() => undefined))
await step('Its own tests', async () => {
  const { output } = await npm('test', '--', 'unit', 'functional')
  return /^Tests +(.*)$/m.exec(output)?.[1]
})
await step('The built server', answers)
await step('The next version, without features', () => upgradeWithoutFeatures(folder, tarball))
