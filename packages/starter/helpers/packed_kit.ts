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
  for (const name of await readdir(installed)) {
    if (name !== KIT) {
      await symlink(join(installed, name), join(modules, name))
    }
  }
  await execute('tar', ['xzf', tarball, '--strip-components=1', '-C', join(modules, KIT)], {
    cwd: app,
  })
  const { version } = JSON.parse(await readFile(join(modules, KIT, 'package.json'), 'utf8'))
  const file = join(app, 'package.json')
  const content = JSON.parse(await readFile(file, 'utf8'))
  content.dependencies[KIT] = version
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`)
}

/** The exports of an unpacked package that lead to no file. */
export async function brokenExports(folder: string): Promise<string[]> {
  const { exports } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  return Object.values(exports as Record<string, string>).filter((target) => {
    const path = join(folder, target.split('*')[0]!)
    return !existsSync(path)
  })
}
