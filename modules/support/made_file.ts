import { appendFile, readFile } from 'node:fs/promises'

import type { BaseCommand } from '@adonisjs/core/ace'

type Codemods = Awaited<ReturnType<BaseCommand['createCodemods']>>

/** Writes a file from a stub. It ends in a newline, which the template engine of AdonisJS trims. */
export async function makeFile(
  codemods: Codemods,
  ...[root, stub, state]: Parameters<Codemods['makeUsingStub']>
) {
  const { status, destination } = await codemods.makeUsingStub(root, stub, state)
  if (status === 'skipped') {
    return
  }
  const text = await readFile(destination, 'utf8')
  if (!text.endsWith('\n')) {
    await appendFile(destination, '\n')
  }
}
