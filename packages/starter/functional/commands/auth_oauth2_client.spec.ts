import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import ace from '@adonisjs/core/services/ace'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import AuthOAuth2Client from 'adonis-auth-kit/commands/auth_oauth2_client'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { DEVICE_CODE } from '#kit/oauth2/settings'
import { keepLogs, runCommand, logOf } from '#starter/helpers/commands'
import { clientKey } from '#starter/helpers/assertions'
import { authorizationServer, isolate, useConfig } from '#starter/helpers/oauth'
import { hideBinding, replaceForTest } from '#starter/helpers/replace'

const useTerminal = () => replaceForTest(process.stdin, 'isTTY', true)

test.group('node ace auth:oauth2:client', (group) => {
  group.each.setup(isolate)
  group.each.setup(keepLogs)

  test('asks on a terminal for what is missing', async ({ assert }) => {
    useTerminal()
    const command = await ace.create(AuthOAuth2Client, [])
    command.prompt.trap('Name of the client').replyWith(' A client ')
    command.prompt
      .trap('Redirect URIs, separated by spaces')
      .assertFails('  ')
      .replyWith('https://a.example.com/cb https://b.example.com/cb')
    await command.exec()
    command.assertSucceeded()

    const row = await db.from('oauth_clients').firstOrFail()
    assert.equal(row.name, 'A client')
    assert.deepEqual(JSON.parse(row.redirect_uris), [
      'https://a.example.com/cb',
      'https://b.example.com/cb',
    ])
  })

  test('a word that belongs to no option is refused, before a client is without it', async ({
    assert,
  }) => {
    const names = ['--name=A', '--redirect-uri=https://a.example.com/cb']
    const command = await ace.create(AuthOAuth2Client, [
      ...names,
      '--scopes',
      'posts:read',
      'posts:write',
    ])
    await command.exec()
    command.assertFailed()
    assert.include(command.logger.getLogs()[0]?.message, '"posts:write" belongs to no option')
    assert.isNull(await db.from('oauth_clients').first())
    const quoted = await ace.create(AuthOAuth2Client, [
      ...names,
      '--scopes',
      'posts:read posts:write',
    ])
    await quoted.exec()
    quoted.assertSucceeded()
    const { scopes } = await db.from('oauth_clients').firstOrFail()
    assert.deepEqual(JSON.parse(scopes), ['posts:read', 'posts:write'])
  })

  test('a client can have a grace period of its own, in whole seconds', async ({ assert }) => {
    const run = async (period: string) => {
      const command = await runCommand(AuthOAuth2Client, [
        '--name=A',
        '--redirect-uri=https://a.example.com/cb',
        '--public',
        `--grace-period=${period}`,
      ])
      return command
    }
    const command = await run('60')
    command.assertSucceeded()
    command.assertLog('Grace period: refresh tokens for 60 seconds')
    const { id } = await db.from('oauth_clients').firstOrFail()
    const { clients } = await authorizationServer()
    assert.equal((await clients.find(id))!.refreshGracePeriod, 60)
    assert.equal((await clients.repository.findMany([id]))[0]!.refreshGracePeriod, 60)
    for (const period of ['-1', '1.5']) {
      const refused = await run(period)
      refused.assertFailed()
    }
  })

  test('asks for nothing that was given', async () => {
    useTerminal()
    const command = await runCommand(AuthOAuth2Client, [
      '--name=A',
      '--redirect-uri=https://a.example.com/',
    ])
    command.assertSucceeded()
  })

  test('registers a first-party client only when told so', async ({ assert }) => {
    const registered = async (...flags: string[]) => {
      const command = await runCommand(AuthOAuth2Client, [
        '--name=A',
        '--redirect-uri=https://a.example.com/',
        ...flags,
      ])
      command.assertSucceeded()
      const row = await db.from('oauth_clients').firstOrFail()
      await db.from('oauth_clients').delete()
      return Boolean(row.first_party)
    }
    assert.isFalse(await registered())
    assert.isTrue(await registered('--first-party'))
  })

  test('refuses a grant that is off, and says how to turn it on', async ({ assert }) => {
    const run = async (...args: string[]) => {
      const command = await runCommand(AuthOAuth2Client, ['--name=A', '--public', ...args])
      return command
    }
    const device = `--grant-types=${DEVICE_CODE}`
    const refused = await run(device)
    refused.assertFailed()
    refused.assertLogMatches(/The grant type "\S+device_code" is off: add it to OAUTH_GRANT_TYPES/)
    const assertions = await run('--grant-types=urn:ietf:params:oauth:grant-type:jwt-bearer')
    assertions.assertLogMatches(/jwt-bearer" is off: trust a provider with "trustedIssuers"/)
    await useConfig({ grantTypes: [DEVICE_CODE] })
    const allowed = await run(device)
    allowed.assertSucceeded()
    const byDefault = await run('--redirect-uri=https://a.example.com/')
    byDefault.assertFailed()
    byDefault.assertLogMatches(/"authorization_code" is off/)
    assert.lengthOf(await db.from('oauth_clients'), 1)
  })

  test('refuses {title} in a line')
    .with([
      { title: 'an empty name', args: ['--name= '], message: /name/ },
      { title: 'a relative URI', args: ['--redirect-uri=/cb'], message: /absolute/ },
      {
        title: 'a fragment',
        args: ['--redirect-uri=https://a.example.com/#x'],
        message: /fragment/,
      },
      {
        title: 'a refused scheme',
        args: ['--redirect-uri=javascript:alert(1)'],
        message: /refused/,
      },
      { title: 'the scope *', args: ['--scopes=posts:read *'], message: /\*/ },
      { title: 'a scope outside the catalogue', args: ['--scopes=nonsense'], message: /catalogue/ },
      { title: 'an empty list of scopes', args: ['--scopes', ''], message: /names no scope/ },
      { title: 'an unknown grant', args: ['--grant-types=implicit'], message: /grant/ },
    ])
    .run(async ({ assert }, { args, message }) => {
      /* Of a flag that stands twice the last value counts. */
      const command = await ace.create(AuthOAuth2Client, [
        '--name=A',
        ...(args[0]!.startsWith('--redirect-uri') ? [] : ['--redirect-uri=https://a.example.com/']),
        ...args,
      ])
      await command.exec()
      command.assertFailed()
      const [line, ...rest] = command.logger.getLogs()
      assert.match(line!.message, message)
      assert.equal(line!.stream, 'stderr')
      assert.isEmpty(rest)
      assert.isNull(await db.from('oauth_clients').first())
    })

  test('refuses grants that give the client no token', async ({ assert }) => {
    for (const [flags, message] of [
      [
        ['--public', '--grant-types=authorization_code client_credentials'],
        /A public client cannot use the grant type "client_credentials"/,
      ],
      [['--grant-types=refresh_token'], /"refresh_token" needs another one/],
    ] as const) {
      const command = await runCommand(AuthOAuth2Client, ['--name=A', ...flags])
      command.assertFailed()
      command.assertLogMatches(message)
    }
    assert.lengthOf(await db.from('oauth_clients'), 0)
  })

  test('without --grant-types a client gets no grant that is off', async ({ assert }) => {
    await useConfig({ grantTypes: ['authorization_code'] })
    const flags = ['--name=A', '--public', '--redirect-uri=https://a.example.com/']
    const command = await runCommand(AuthOAuth2Client, flags)
    command.assertSucceeded()
    const { grant_types: types } = await db.from('oauth_clients').firstOrFail()
    assert.deepEqual(JSON.parse(types), ['authorization_code'])
  })

  test('an empty --grant-types does not allow every grant', async ({ assert }) => {
    const flags = ['--name=A', '--redirect-uri=https://a.example.com/', '--grant-types', '']
    const command = await runCommand(AuthOAuth2Client, flags)
    command.assertSucceeded()
    const { grant_types: types } = await db.from('oauth_clients').firstOrFail()
    assert.deepEqual(JSON.parse(types), ['authorization_code', 'refresh_token'])
  })

  test('says so when its provider is not registered', async () => {
    const command = await ace.create(AuthOAuth2Client, ['--name=A'])
    hideBinding(AuthorizationServer)
    await command.exec()
    command.assertFailed()
    command.assertLogMatches(/AuthOAuth2Provider is not registered/)
  })

  test('registers a client with keys of its own, which gets no secret', async ({
    assert,
    cleanup,
  }) => {
    await useConfig({ clientAssertions: true })
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    cleanup(() => rm(folder, { recursive: true }))
    const { jwk } = await clientKey()
    const write = async (name: string, content: string) => {
      await writeFile(join(folder, name), content)
      return join(folder, name)
    }
    const register = async (...flags: string[]) => {
      const args = ['--name=A', '--grant-types=client_credentials', ...flags]
      const command = await runCommand(AuthOAuth2Client, args)
      return { command, log: logOf(command) }
    }

    const url = 'https://client.example.com/jwks'
    const behind = await register(`--jwks-uri=${url}`)
    behind.command.assertSucceeded()
    assert.include(behind.log, `Keys: ${url}`)
    assert.notInclude(behind.log, 'secret')

    const file = await write('good.json', JSON.stringify({ keys: [jwk] }))
    const inside = await register(`--jwks=${file}`)
    inside.command.assertSucceeded()
    const { clients } = await authorizationServer()
    const [id] = [...inside.log.matchAll(/(?<=Client ID: )\S+/g)].at(-1)!
    assert.deepEqual((await clients.find(id))!.jwks, [jwk])

    for (const flags of [
      [`--jwks=${file}`, `--jwks-uri=${url}`],
      [`--jwks=${file}`, '--public'],
      [`--jwks=${await write('private.json', JSON.stringify({ keys: [{ ...jwk, d: 'x' }] }))}`],
      [`--jwks=${await write('broken.json', 'no JSON')}`],
      ['--jwks=/nowhere/at.all'],
      ['--jwks-uri=http://client.example.com/jwks'],
    ]) {
      const refused = await register(...flags)
      refused.command.assertFailed()
    }
    await useConfig({ clientAssertions: false })
    const { command, log } = await register(`--jwks-uri=${url}`)
    command.assertFailed()
    assert.include(log, 'OAUTH_CLIENT_ASSERTIONS=true')
  })

  test('a file of keys that is not JSON is refused with a sentence that says so', async ({
    assert,
    cleanup,
  }) => {
    await useConfig({ clientAssertions: true })
    const folder = await mkdtemp(join(tmpdir(), 'client-'))
    cleanup(() => rm(folder, { recursive: true }))
    const file = join(folder, 'keys.pem')
    for (const content of ['-----BEGIN PUBLIC KEY-----', '{ "keys": [', '']) {
      await writeFile(file, content)
      const args = ['--name=A', '--grant-types=client_credentials', `--jwks=${file}`]
      const command = await runCommand(AuthOAuth2Client, args)
      command.assertFailed()
      assert.equal(
        command.logger.getLogs().at(-1)!.message,
        `[ red(error) ] Cannot read ${file}: it is not JSON. Name a file with a JSON Web Key Set`
      )
    }
  })
})
