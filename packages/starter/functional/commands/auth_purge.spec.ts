import { test } from '@japa/runner'

import AuthPurge from 'adonis-auth-kit/commands/auth_purge'
import SessionModel from '#kit/session/models/session'
import { keepLogs, runCommand } from '#starter/helpers/commands'

test.group('node ace auth:purge', (group) => {
  group.each.setup(keepLogs)

  test('deletes what has expired, keeps the rest, and says how much went', async ({ assert }) => {
    await SessionModel.query().delete()
    const now = Date.now()
    const row = { csrfToken: 'x', data: '{}', createdAt: now, lastActivity: now }
    await SessionModel.createMany([
      { ...row, id: 'ended', expiresAt: now - 1 },
      { ...row, id: 'lives', expiresAt: now + 60_000 },
    ])

    const command = await runCommand(AuthPurge)

    command.assertSucceeded()
    command.assertLogMatches(/Deleted 1 expired sessions/)
    const left = await SessionModel.all()
    assert.deepEqual(
      left.map(({ id }) => id),
      ['lives']
    )
  })
})
