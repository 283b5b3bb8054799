import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import type { Codemods } from '@adonisjs/core/ace/codemods'

/** The folder of the kit's stubs. */
export const stubsRoot = import.meta.dirname

/** A file of a folder of stubs. */
export interface StubFile {
  /** Where it is written to, from the root of the application, with "/". */
  path: string
  /** The file itself, which is taken as it is: no template could keep them equal to the ones checked in. */
  contentsFromFile: string
}

/** The files of a folder of `publish` or `configure`, whose paths in it are those in the application with ".stub" behind. */
export async function stubsIn(kind: 'publish' | 'configure', name: string): Promise<StubFile[]> {
  const folder = join(stubsRoot, kind, name)
  const entries = await readdir(folder, { recursive: true })
  return entries
    .filter((entry) => entry.endsWith('.stub'))
    .map((entry) => ({
      path: entry.replace(/\.stub$/, '').replaceAll('\\', '/'),
      contentsFromFile: join(folder, entry),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}

/** Writes such files into the application. What is there stays, unless the codemods overwrite. */
export async function writeStubs(codemods: Codemods, root: string, files: readonly StubFile[]) {
  for (const { path, contentsFromFile } of files) {
    const to = join(root, path)
    await codemods.makeUsingStub(stubsRoot, 'publish.stub', { to }, { contentsFromFile })
  }
}
