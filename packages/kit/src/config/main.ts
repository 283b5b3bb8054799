import { appendFile, readFile } from 'node:fs/promises'

import { Codemods } from '@adonisjs/core/ace/codemods'

/** Lets every file that a command makes from a stub end in a newline, which AdonisJS trims. */
export function endMadeFilesInNewline(): void {
  const { makeUsingStub } = Codemods.prototype
  Codemods.prototype.makeUsingStub = async function (...options) {
    const made = await makeUsingStub.apply(this, options)
    if (made.status !== 'skipped' && /[^\n]$/.test(await readFile(made.destination, 'utf8'))) {
      await appendFile(made.destination, '\n')
    }
    return made
  }
}
