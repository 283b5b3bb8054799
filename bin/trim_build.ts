import { mkdir, rm, symlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { prepareInstall } from './production_install.js'

/** What develops and tests the application: a server has no use for it. */
const LEFT_OUT = [
  'tests',
  'packages/starter',
  'benchmarks',
  'eslint.config.js',
  'database/factories',
  'database/seeders',
  'bin/trim_build.js',
  'bin/typed_client.js',
  'bin/production_install.js',
]

/** Takes out of a finished build what no server needs. A hook of "node ace build". */
export default async function trimBuild({ cwd }: { cwd: URL }) {
  const build = new URL('build/', cwd.href.endsWith('/') ? cwd : `${cwd.href}/`)
  await Promise.all(
    LEFT_OUT.map((path) =>
      rm(fileURLToPath(new URL(path, build)), { recursive: true, force: true })
    )
  )
  await prepareInstall(build)
  await linkKit(build)
}

/** A build of a clone that has the kit's sources runs its own compiled kit, also before "npm ci". */
async function linkKit(build: URL) {
  if (existsSync(new URL('packages/kit', build))) {
    await mkdir(new URL('node_modules/', build), { recursive: true })
    await symlink('../packages/kit', new URL('node_modules/adonis-auth-kit', build))
  }
}
