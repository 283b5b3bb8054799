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
| brings nothing of features that were removed. Then forks of old versions are brought to
| this one, as UPGRADING.md says.
|
*/

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { startBuilt } from '#starter/existing_app/server'
import { execute } from '#starter/helpers/execute'
import { brokenExports, installPacked } from '#starter/helpers/packed_kit'
import { step } from '#starter/helpers/steps'

import { isKnown, OLD_FORKS, type OldFork, upgradeOldFork } from './old_forks.js'
import { upgradeWithoutFeatures } from './upgrade.js'

const [folder = '', tarball = ''] = process.argv.slice(2)
const npm = async (...args: string[]) => execute('npm', args, { cwd: folder })

/** The fork's own tests, with these variables. */
async function ownTests(env: Record<string, string> = {}) {
  const { output } = await execute('npm', ['test', '--', 'unit', 'functional'], {
    cwd: folder,
    env,
  })
  return /^Tests +(.*)$/m.exec(output)?.[1]
}

async function install(fork: string) {
  /* Upstream's, like the benchmarks of its sources. */
  for (const upstream of ['packages', 'benchmarks']) {
    await rm(join(fork, upstream), { recursive: true })
  }
  const file = join(fork, 'package.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  delete manifest.workspaces
  await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`)
  await installPacked(fork, tarball, resolve('node_modules'))
  assert.deepEqual(await brokenExports(join(fork, 'node_modules/adonis-auth-kit')), [])
  /* Older than the installation, so that nothing is installed: see bin/run.js. */
  await utimes(join(fork, 'package-lock.json'), 0, 0)
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

async function takesOver(fork: OldFork): Promise<string> {
  if (!(await isKnown(fork))) return 'left out, this clone has no history'
  const cwd = await mkdtemp(join(folder, '../old-'))
  await upgradeOldFork(cwd, fork)
  await install(cwd)
  if (fork.removed.length) {
    await execute(process.execPath, ['ace.js', 'feature:remove', ...fork.removed, '--yes'], { cwd })
  }
  await execute('npm', ['run', 'build'], { cwd })
  const { output } = await execute('npm', ['test', '--', 'functional'], { cwd })
  assert.match(output, /Notes/)
  return /^Tests +(.*)$/m.exec(output)![1]!
}

await step('A fork without packages/', () => install(folder))
await step('Types', () => npm('run', 'typecheck').then(() => undefined))
await step('Build', () => npm('run', 'build').then(() => undefined))
await step('Its own tests', () => ownTests())
await step('Its own tests, without a common workspace', () =>
  ownTests({ WORKSPACES_COMMON: 'false' })
)
await step('The built server', answers)
await step('The next version, without features', () => upgradeWithoutFeatures(folder, tarball))
for (const fork of OLD_FORKS) {
  await step(`A fork of ${fork.name}`, () => takesOver(fork))
}
