import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Workspace } from '#removal/workspace'

/** Formats what a removal has changed, as "npm run format" does. */
export async function format({ root, changed }: Workspace): Promise<void> {
  const { format: formatted, resolveConfig, getFileInfo } = await import('prettier')
  for (const path of changed) {
    const file = join(root, path)
    /* What a stub writes is formatted, too. */
    const filepath = file.replace(/\.stub$/, '')
    const { ignored, inferredParser } = await getFileInfo(filepath, {
      ignorePath: join(root, '.prettierignore'),
    })
    if (!ignored && inferredParser) {
      const options = { ...(await resolveConfig(filepath)), filepath }
      await writeFile(file, await formatted(await readFile(file, 'utf8'), options))
    }
  }
}
