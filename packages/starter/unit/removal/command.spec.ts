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
    command.assertLogMatches(/delete config\/passkeys\.ts/)
    command.assertLogMatches(/Nobody can be asked here: "--yes" takes this out/)
    assert.isTrue(existsSync(app.makePath('config/passkeys.ts')))
  })
})
