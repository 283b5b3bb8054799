import app from '@adonisjs/core/services/app'
import ace from '@adonisjs/core/services/ace'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import AuthUser from '#commands/auth_user'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import User from '#models/user'
import { ApiToken } from '#kit/api_token/facade'
import { keepLogs, runCommand } from '#starter/helpers/commands'
import { obtainTokens, opens, registerClient } from '#starter/helpers/oauth'
import { authManager } from '#starter/helpers/passwords'
import { replaceForTest } from '#starter/helpers/replace'
import { runScript } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

const run = (...args: string[]) => runCommand(AuthUser, args)

async function signIn(user: User) {
  const visitor = new Visitor()
  const { status } = await visitor.login(user.email, FACTORY_PASSWORD)
  return { visitor, status }
}

test.group('node ace auth:user', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(keepLogs)

  test('a deactivated account cannot sign in before it is activated, and has no sessions', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const { visitor } = await signIn(user)
    const off = await run('deactivate', user.email.toUpperCase())
    off.assertSucceeded()
    assert.equal((await signIn(user)).status, 401)
    await run('activate', user.email)
    assert.equal((await visitor.get('/api/me')).status, 401)
    assert.equal((await signIn(user)).status, 200)
  })

  test('a deactivated account has no API tokens, not even when it is activated', async ({
    client,
  }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    await run('deactivate', user.email)
    const off = await client.get('/api/me').bearerToken(plainText)
    off.assertStatus(401)
    await run('activate', user.email)
    const on = await client.get('/api/me').bearerToken(plainText)
    on.assertStatus(401)
  })

  test('a deactivated account has no OAuth tokens, not even when it is activated', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const { visitor } = await signIn(user)
    const { access_token: accessToken } = await obtainTokens(visitor, await registerClient())
    await run('deactivate', user.email)
    assert.isFalse(await opens(accessToken))
    await run('activate', user.email)
    assert.isFalse(await opens(accessToken))
  })

  test('end-sessions ends every session', async ({ assert }) => {
    const user = await UserFactory.create()
    const [one, other] = [await signIn(user), await signIn(user)]
    const command = await run('end-sessions', user.email)
    command.assertLogMatches(/Ended 2 sessions/)
    for (const { visitor } of [one, other]) {
      assert.equal((await visitor.get('/api/me')).status, 401)
    }
  })

  test('end-sessions ends no token', async ({ client }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user)
    await run('end-sessions', user.email)
    const response = await client.get('/api/me').bearerToken(plainText)
    response.assertStatus(200)
  })

  test('end-sessions fails where a command cannot see the sessions', async ({ cleanup }) => {
    const store = app.config.get('session.store')
    app.config.set('session.store', 'memory')
    cleanup(() => app.config.set('session.store', store))
    const user = await UserFactory.create()
    const command = await run('end-sessions', user.email)
    command.assertFailed()
    command.assertLogMatches(/SESSION_STORE=database/)
  })

  test('reset-second-factor turns it off, and says whether there was one', async ({ assert }) => {
    const user = await UserFactory.create()
    const manager = await authManager()
    const twoFactor = manager.feature('twoFactor')!
    const { forget } = twoFactor
    const forgotten: unknown[] = []
    twoFactor.forget = async (owner) => forgotten.push((owner as unknown as User).id) > 0
    try {
      const command = await run('reset-second-factor', user.email)
      command.assertLogMatches(/second factor is off/)
    } finally {
      twoFactor.forget = forget
    }
    assert.deepEqual(forgotten, [user.id])
    const again = await run('reset-second-factor', user.email)
    again.assertLogMatches(/There was no second factor/)
  })

  test('fails for {what}')
    .with([
      { what: 'an unknown action', args: ['destroy', 'a@example.com'], message: /Use create/ },
      { what: 'an unknown person', args: ['activate', 'no@example.com'], message: /no account/ },
    ])
    .run(async (_context, { args, message }) => {
      const command = await run(...args)
      command.assertFailed()
      command.assertLogMatches(message)
    })
})

test.group('node ace auth:user create', (group) => {
  group.each.setup(keepLogs)

  test('asks on a terminal for the password, which signs the person in', async ({
    assert,
    cleanup,
  }) => {
    replaceForTest(process.stdin, 'isTTY', true)
    cleanup(async () => {
      await User.query().where('email', 'made@example.com').delete()
    })
    const command = await ace.create(AuthUser, ['create', 'Made@example.com', '--name=Made'])
    command.prompt.trap('Password').replyWith(FACTORY_PASSWORD)
    await command.exec()
    command.assertSucceeded()
    const user = await User.findByOrFail('email', 'made@example.com')
    assert.equal(user.fullName, 'Made')
    assert.equal((await signIn(user)).status, 200)

    const twice = await ace.create(AuthUser, ['create', 'made@example.com'])
    twice.prompt.trap('Password').replyWith(FACTORY_PASSWORD)
    await twice.exec()
    twice.assertFailed()
  })

  test('says a line for each thing that is wrong', async ({ assert }) => {
    const { stderr } = await runScript('bin/console.ts', ['auth:user', 'create', 'bad'])
    assert.deepEqual(stderr.match(/error.*The \w+/g)?.length, 2)
  })

  test('refuses a name that no form would take', async ({ assert }) => {
    const command = await ace.create(AuthUser, ['create', 'x@example.com', '--name=Ann\u202e'])
    command.prompt.trap('Password').replyWith(FACTORY_PASSWORD)
    replaceForTest(process.stdin, 'isTTY', true)
    await command.exec()
    command.assertFailed()
    assert.isNull(await User.findBy('email', 'x@example.com'))
  })

  test('refuses a password that no form would take', async ({ assert }) => {
    const { code, stderr } = await runScript('bin/console.ts', [
      'auth:user',
      'create',
      'x@example.com',
    ])
    assert.equal(code, 1)
    assert.include(stderr, 'password')
    assert.isNull(await User.findBy('email', 'x@example.com'))
  })
})
