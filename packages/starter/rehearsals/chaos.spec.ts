import { test } from '@japa/runner'

import { runScript } from '#starter/helpers/server_process'

test.group('Sudden ends', () => {
  test('of servers and databases lose and double nothing, and need no restart', async ({
    assert,
  }) => {
    const { code, stdout, stderr } = await runScript('packages/starter/chaos/run.ts', [
      '--seed=1',
      '--short',
    ])
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /kill -9 of a server/)
    assert.match(stdout, /Nothing lost, nothing doubled/)
  }).timeout(300_000)
})
