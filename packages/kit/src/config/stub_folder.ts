import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a folder of stubs. */
export interface StubFile {
  /** Where it is written to, from the root of the application, with "/". */
  path: string
  /** The file itself, which is taken as it is: no template could keep them equal to the ones checked in. */
  contentsFromFile: string
}

/** The files of a folder, whose paths in it are those in the application with ".stub" behind. */
export async function stubsIn(folder: string): Promise<StubFile[]> {
  const entries = await readdir(folder, { recursive: true })
  return entries
    .filter((entry) => entry.endsWith('.stub'))
    .map((entry) => ({
      path: entry.replace(/\.stub$/, '').replaceAll('\\', '/'),
      contentsFromFile: join(folder, entry),
    }))
    .sort((one, other) => (one.path < other.path ? -1 : 1))
}
