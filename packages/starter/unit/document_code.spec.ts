import { test } from '@japa/runner'

import { codeBlocks } from '#starter/helpers/document_blocks'
import { compileBlocks } from '#starter/helpers/document_compiler'
import { isFile } from '#starter/helpers/page_steps'

test.group('Code of the documents', () => {
  test('every TypeScript block compiles', ({ assert }) => {
    const blocks = codeBlocks('ts').filter((block) => !isFile(block))
    assert.isNotEmpty(blocks)
    assert.deepEqual(compileBlocks(blocks), [])
  }).timeout(120_000)
})
