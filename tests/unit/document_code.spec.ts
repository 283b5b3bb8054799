import { test } from '@japa/runner'

import { codeBlocks } from '#tests/helpers/document_blocks'
import { compileBlocks } from '#tests/helpers/document_compiler'

test.group('Code of the documents', () => {
  test('every TypeScript block compiles', ({ assert }) => {
    const blocks = codeBlocks('ts')
    assert.isNotEmpty(blocks)
    assert.deepEqual(compileBlocks(blocks), [])
  }).timeout(120_000)
})
