import { mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { execute } from '#starter/helpers/execute'

const KIT = 'adonis-auth-kit'

/**
 * Gives an application the packages of an installation, and the kit from its tarball: what "npm install"
 * would do, without the network. The application's package.json names it afterwards.
 */
export async function installPacked(app: string, tarball: string, installed: string) {
  const modules = join(app, 'node_modules')
  await rm(modules, { recursive: true, force: true })
  await mkdir(join(modules, KIT), { recursive: true })
  await execute('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, KIT)], {
    cwd: app,
  })
  const manifest = await readManifest(join(modules, KIT))
  const content = await readManifest(app)
  const named = { ...content.dependencies, ...content.devDependencies }
  const absent = Object.keys(manifest.peerDependenciesMeta).filter((name) => !(name in named))
  await linkPackages(installed, modules, [KIT, ...absent])
  content.dependencies[KIT] = manifest.version
  await writeFile(join(app, 'package.json'), `${JSON.stringify(content, null, 2)}\n`)
}

const readManifest = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))

/**
 * Links packages, but for some: the kit may ask for no optional peer that the application
 * does not name. A scope is a folder of packages.
 */
async function linkPackages(from: string, to: string, absent: string[], scope = '') {
  for (const name of await readdir(from)) {
    const path = scope + name
    if (absent.some((one) => one.startsWith(`${path}/`))) {
      await mkdir(join(to, name))
      await linkPackages(join(from, name), join(to, name), absent, `${path}/`)
    } else if (!absent.includes(path)) {
      await symlink(join(from, name), join(to, name))
    }
  }
}

/** The exports of an unpacked package that lead to no file. */
export async function brokenExports(folder: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return Object.values(exports as Record<string, string>).filter((target) => {
    const path = join(folder, target.split('*')[0]!)
    return !existsSync(path)
  })
}
