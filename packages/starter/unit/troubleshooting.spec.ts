import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { errorSentences } from '#starter/helpers/error_sentences'

/** The sentences in the first column of the page's tables. */
async function listed(): Promise<string[]> {
  const page = await readFile(app.makePath('docs/troubleshooting.md'), 'utf8')
  const cells = page.split('\n').flatMap((line) => /^\| (`.*`) \| /.exec(line)?.[1] ?? [])
  return cells.flatMap((cell) => cell.slice(1, -1).split('`<br>`'))
}

test.group('docs/troubleshooting.md', () => {
  test('has every error sentence of a start and of a command', async ({ assert }) => {
    const known = new Set(await listed())
    const sentences = errorSentences()
    assert.isAbove(sentences.length, 20)
    assert.deepEqual(
      sentences.filter(({ text }) => !known.has(text)),
      []
    )
  })

  test('has no sentence that nothing prints', async ({ assert }) => {
    const printed = new Set(errorSentences().map(({ text }) => text))
    assert.deepEqual(
      (await listed()).filter((text) => !printed.has(text)),
      []
    )
  })
})
