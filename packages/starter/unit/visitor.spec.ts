import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { execute } from '#starter/helpers/execute'

test.group('A visitor', () => {
  test('needs no application, as rehearsals of others have none', async () => {
    const script = `await import('#starter/helpers/visitor')`
    const args = ['--import=@poppinss/ts-exec', '--input-type=module', '-e', script]
    await execute(process.execPath, args, { cwd: app.makePath() })
  }).timeout(20_000)
})
