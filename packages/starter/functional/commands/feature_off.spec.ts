import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import AuthProvider from 'adonis-auth-kit/commands/auth_provider'
import WorkspacesAdopt from 'adonis-auth-kit/commands/workspaces_adopt'
import { keepLogs, runCommand } from '#starter/helpers/commands'
import { replaceForTest } from '#starter/helpers/replace'

test.group('A command of a feature that is off', (group) => {
  group.each.setup(keepLogs)

  test('names the provider that is missing: {provider}')
    .with([
      { Command: AuthProvider, provider: 'SocialProvider' },
      { Command: WorkspacesAdopt, provider: 'WorkspacesProvider' },
    ])
    .run(async (_context, { Command, provider }) => {
      const manager = await app.container.make('auth_manager')
      replaceForTest(manager, 'feature', () => undefined)
      const command = await runCommand(Command as typeof AuthProvider, [])
      command.assertFailed()
      command.assertLogMatches(new RegExp(`${provider} is not registered in adonisrc.ts`))
    })
})
