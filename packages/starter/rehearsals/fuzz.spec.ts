import { test } from '@japa/runner'

import { runScript } from '#starter/helpers/server_process'

test.group('Random requests', () => {
  test('break no route, leave no file behind and show no secret', async ({ assert }) => {
    const args = ['--seed=1', '--seconds=3', '--requests=500']
    const { code, stdout, stderr } = await runScript('packages/starter/fuzz/run.ts', args)
    assert.equal(code, 0, stdout + stderr)
    assert.match(stdout, /requests to \d\d+ routes/)
  })
})
