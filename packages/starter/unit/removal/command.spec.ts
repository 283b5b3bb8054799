import { existsSync } from 'node:fs'

import app from '@adonisjs/core/services/app'
import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'

import FeatureRemove from 'adonis-auth-kit/commands/feature_remove'

test.group('feature:remove', (group) => {
  group.each.setup(() => {
    ace.ui.switchMode('raw')
    return () => ace.ui.switchMode('normal')
  })

  test('where nobody can be asked it shows what would go, and ends', async ({
    assert,
    cleanup,
  }) => {
    const { isTTY } = process.stdin
    process.stdin.isTTY = false
    cleanup(() => void (process.stdin.isTTY = isTTY))
    const command = await ace.create(FeatureRemove, ['passkeys'])
    await command.exec()
    command.assertFailed()
    command.assertLog('  delete config/passkeys.ts')
    command.assertLogMatches(/Nobody can be asked here: "--yes" takes this out/)
    assert.isTrue(existsSync(app.makePath('config/passkeys.ts')))
  })

  test('where the answer is no nothing is said to be done', async ({ assert, cleanup }) => {
    const { isTTY } = process.stdin
    process.stdin.isTTY = true
    cleanup(() => void (process.stdin.isTTY = isTTY))
    const command = await ace.create(FeatureRemove, ['passkeys'])
    command.prompt.trap('Take this out?').reject()
    await command.exec()
    command.assertSucceeded()
    command.assertLogMatches(/Nothing has changed/)
    const logs = command.ui.logger.getLogs().map(({ message }) => message)
    assert.notMatch(logs.join('\n'), /DONE/)
    assert.isTrue(existsSync(app.makePath('config/passkeys.ts')))
  })
})
