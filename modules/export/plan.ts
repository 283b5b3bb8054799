import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { editEnvironment } from '#export/edits/environment'
import { editKernel } from '#export/edits/kernel'
import { editPackage } from '#export/edits/package_file'
import { editProviders } from '#export/edits/providers'
import { remaining } from '#export/edits/remaining'
import { editHandler, editSecurity } from '#export/edits/security'
import { collectSources, exportable } from '#export/sources'
import { ExportRefused, Target } from '#export/target'
import { readManifests } from '#removal/manifests'

/** Goes along with every feature: the others take its access tokens. */
const BASE = 'oauth2'

export interface ExportOptions {
  /** Root of this repository. */
  root: string
  /** Names of features. */
  names: readonly string[]
  /** Folder of the other application. */
  to: string
  /** Whether files that are there with another text are replaced. */
  force: boolean
}

/**
 * What an export would write and change; nothing is on the disk yet.
 *
 * @throws {ExportRefused} for features that cannot be exported, and for a folder that cannot take them
 */
export async function planExport({ root, names, to, force }: ExportOptions): Promise<Target> {
  const target = Target.open(to, root)
  assertExportable(names, exportable(root))
  const manifests = await readManifests(root)
  const exported = [...manifests.values()].filter(
    ({ name }) => name === BASE || names.includes(name)
  )
  const appName = target.package.name ?? 'this application'
  const sources = await collectSources({ root, exported, appName })
  const read = (path: string) => readFile(join(root, path), 'utf8')

  editPackage(target, JSON.parse(await read('package.json')), sources)
  for (const [path, text] of sources.files) {
    target.add(path, text, force)
  }
  editProviders(target, sources.files.keys())
  const own = { validations: await read('start/env.ts'), example: await read('.env.example') }
  editEnvironment(target, own, sources.variables)
  editKernel(target)
  editSecurity(target)
  editHandler(target)
  remaining(target)
  return target
}

function assertExportable(names: readonly string[], known: readonly string[]) {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined || names.length === 0) {
    const complaint =
      unknown === undefined ? 'Name what to export.' : `"${unknown}" cannot be exported.`
    throw new ExportRefused(`${complaint} Known features: ${known.join(', ')}`)
  }
}
