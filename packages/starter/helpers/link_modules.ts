import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'

const KIT = 'adonis-auth-kit'

/** Gives a copy the packages of this installation, but the kit, which is the copy's own. */
export async function linkModules(installed: string, folder: string) {
  await mkdir(join(folder, 'node_modules'))
  for (const name of await readdir(installed)) {
    const target = name === KIT ? '../packages/kit' : join(installed, name)
    await symlink(target, join(folder, 'node_modules', name))
  }
}
