import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import app from '@adonisjs/core/services/app'
import ace from '@adonisjs/core/services/ace'
import { test } from '@japa/runner'

import FeatureRemove from 'adonis-auth-kit/commands/feature_remove'
import { keepLogs, runCommand } from '#starter/helpers/commands'
import { execute } from '#starter/helpers/execute'
import { replaceForTest } from '#starter/helpers/replace'

type Cleanup = (callback: () => void | Promise<void>) => void

const useTerminal = () => replaceForTest(process.stdin, 'isTTY', true)

/** Lets git take the application for the work tree of a repository: by default a new one, which has nothing yet. */
async function useRepository(cleanup: Cleanup, path?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'repository-'))
  const env = { GIT_DIR: path ?? join(folder, '.git'), GIT_WORK_TREE: app.makePath() }
  const git = (...args: string[]) => execute('git', args, { cwd: app.makePath(), env })
  cleanup(async () => {
    delete process.env.GIT_DIR
    delete process.env.GIT_WORK_TREE
    await rm(folder, { recursive: true })
  })
  path ?? (await execute('git', ['init', '-q', folder], { cwd: folder }))
  Object.assign(process.env, env)
  return git
}

test.group('feature:remove', (group) => {
  group.each.setup(keepLogs)

  test('where nobody can be asked it shows what would go, and ends', async ({ assert }) => {
    replaceForTest(process.stdin, 'isTTY', false)
    const command = await runCommand(FeatureRemove, ['passkeys'])
    command.assertFailed()
    command.assertLog('  delete config/passkeys.ts')
    command.assertLogMatches(/Nobody can be asked here: "--yes" takes this out/)
    assert.isTrue(existsSync(app.makePath('config/passkeys.ts')))
  })

  test('what is not committed and would change is named, and not touched', async ({
    assert,
    cleanup,
  }) => {
    useTerminal()
    await useRepository(cleanup)
    const command = await runCommand(FeatureRemove, ['passkeys'])
    command.assertFailed()
    command.assertLogMatches(/Not committed: .+, .+, .+, …\. Commit it, so that git/)
    assert.isTrue(existsSync(app.makePath('config/passkeys.ts')))
  })

  test('what is committed is asked for, and so is everything without a repository', async ({
    cleanup,
  }) => {
    useTerminal()
    const git = await useRepository(cleanup)
    await git('add', '.')
    await git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'All')
    for (const repository of [process.env.GIT_DIR, '/dev/null']) {
      process.env.GIT_DIR = repository
      const command = await ace.create(FeatureRemove, ['passkeys'])
      command.prompt.trap('Take this out?').reject()
      await command.exec()
      command.assertSucceeded()
    }
  })

  test('where the answer is no nothing is said to be done', async ({ assert, cleanup }) => {
    useTerminal()
    await useRepository(cleanup, '/dev/null')
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
