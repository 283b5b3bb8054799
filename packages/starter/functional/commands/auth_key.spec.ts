import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import AuthKey from 'adonis-auth-kit/commands/auth_key'
import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import { keepLogs, runCommand, logOf } from '#starter/helpers/commands'
import { isolate, useConfig } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'
import { Visitor } from '#starter/helpers/visitor'

const run = (...args: string[]) => runCommand(AuthKey, args)

const useKeys = () =>
  useConfig({
    keys: { store: 'instance', instance: new DatabaseKeyStore(() => db.connection()) },
  })

test.group('node ace auth:key', (group) => {
  group.each.setup(isolate)
  group.each.setup(keepLogs)

  test('makes a key, rotates to another one, and lists both without showing them', async ({
    assert,
  }) => {
    await useKeys()
    const made = await run('make', '--now')
    made.assertSucceeded()
    assert.match(logOf(made), /ES256 {2}signs since /)
    assert.match(
      logOf(await run('rotate', '--algorithm=RS256')),
      /RS256 {2}is published, signs from/
    )
    const list = logOf(await run('list'))
    assert.match(list, /Keys: 2/)
    for (const { kid, sealed } of await db.from('oauth_keys')) {
      assert.include(list, kid)
      assert.notInclude(list, sealed)
    }
  })

  test('the first key signs at once, and is of RS256 where OpenID Connect is on', async ({
    assert,
  }) => {
    const keys = {
      store: 'instance' as const,
      instance: new DatabaseKeyStore(() => db.connection()),
    }
    await useConfig({ keys, issuer: 'https://id.example.com', openid: { enabled: true } })
    assert.match(logOf(await run('make')), /RS256 {2}signs since /)
    assert.match(logOf(await run('make', '--algorithm=ES256')), /ES256 {2}is published/)
  })

  test('a key of another algorithm comes with a warning, and is announced before it signs', async ({
    assert,
  }) => {
    const instance = new DatabaseKeyStore(() => db.connection())
    const keys = { store: 'instance' as const, instance }
    await useConfig({ keys, issuer: await serverUrl(), openid: { enabled: true } })
    const first = await run('make')
    assert.notInclude(logOf(first), 'Until now')
    assert.notInclude(logOf(await run('rotate')), 'Until now')
    assert.include(logOf(await run('rotate', '--algorithm=ES256')), 'Until now RS256 signed: ')
    const document = await new Visitor().get('/.well-known/openid-configuration')
    const metadata = (await document.json()) as any
    assert.deepEqual(metadata.id_token_signing_alg_values_supported, ['RS256', 'ES256'])
  })

  test('so does the first key beside a private key in OAUTH_KEY, which the list leaves out', async ({
    assert,
  }) => {
    const instance = new DatabaseKeyStore(() => db.connection())
    const format = { type: 'pkcs8', format: 'pem' } as const
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(format)
    await useConfig({ keys: { store: 'instance', instance }, algorithm: 'ES256', key: String(key) })
    assert.equal(logOf(await run('list')), 'Keys: 0')
    assert.notInclude(logOf(await run('make')), 'Until now')
    const made = logOf(await run('make', '--algorithm=RS256'))
    assert.match(made, /RS256 {2}is published, signs from/)
    assert.include(made, 'Until now ES256 signed: ')
  })

  test('retires a key that signs no more, and refuses to retire the one that does', async ({
    assert,
  }) => {
    await useKeys()
    await run('make', '--now')
    const [{ kid }] = await db.from('oauth_keys')
    const refused = await run('retire', kid)
    refused.assertFailed()
    assert.match(logOf(refused), /auth:key rotate --now/)
    await db.from('oauth_keys').update({ signs_at: Date.now() - 5000 })
    await run('rotate', '--now')
    const retired = await run('retire', kid)
    retired.assertSucceeded()
    assert.lengthOf(await db.from('oauth_keys'), 1)
  })

  test('takes a key from a file, and refuses a weak one', async ({ assert, cleanup }) => {
    await useKeys()
    const folder = await mkdtemp(join(tmpdir(), 'keys-'))
    cleanup(() => rm(folder, { recursive: true }))
    const write = async (bits: number) => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
      const file = join(folder, `${bits}.pem`)
      await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
      return file
    }
    const good = await run('make', '--algorithm=RS256', `--pem=${await write(2048)}`)
    good.assertSucceeded()
    const weak = await run('make', '--algorithm=RS256', `--pem=${await write(1024)}`)
    weak.assertFailed()
    assert.match(logOf(weak), /2048 bits/)
    assert.lengthOf(await db.from('oauth_keys'), 1)
  })

  test('a failing database is one sentence, as in every command: {code}')
    .with([
      {
        code: 'ECONNREFUSED',
        failure: Object.assign(new Error('connect'), {
          code: 'ECONNREFUSED',
          address: '127.0.0.1',
          port: 1,
        }),
        message: 'Nothing answers at 127.0.0.1:1: ',
      },
      {
        code: 'no such table',
        failure: new Error('select * from `oauth_keys` - no such table: oauth_keys'),
        message:
          'There is no table "oauth_keys" in the database: run "node ace migration:run". If a migration says so, another one has to create the table before it.',
      },
    ])
    .run(async ({ assert }, { failure, message }) => {
      const keys = new DatabaseKeyStore(() => db.connection())
      await useConfig({ keys: { store: 'instance', instance: keys } })
      keys.list = () => Promise.reject(failure)
      const command = await run('list')
      command.assertFailed()
      assert.include(logOf(command), `] ${message}`)
    })

  test('"auth:key {given}" fails and says what to do')
    .with([
      {
        given: 'list, without a set',
        args: ['list'],
        on: false,
        message: /OAUTH_KEYS_STORE=database/,
      },
      { given: 'show', args: ['show'], on: true, message: /no action "show"/ },
      { given: 'retire', args: ['retire'], on: true, message: /Name the key/ },
      {
        given: 'retire nobody',
        args: ['retire', 'nobody'],
        on: true,
        message: /no key with this id/,
      },
      { given: 'rotate', args: ['rotate'], on: true, message: /auth:key make/ },
      {
        given: 'make --algorithm=HS256',
        args: ['make', '--algorithm=HS256'],
        on: true,
        message: /asymmetric algorithm/,
      },
      {
        given: 'make --pem=/nowhere',
        args: ['make', '--pem=/nowhere/at.all'],
        on: true,
        message: /Cannot read \/nowhere\/at\.all \(ENOENT\): name a file/,
      },
    ])
    .run(async ({ assert }, { args, on, message }) => {
      if (on) {
        await useKeys()
      }
      const command = await run(...args)
      command.assertFailed()
      assert.match(logOf(command), message)
    })

  test('keys in the memory of the server are out of its reach', async ({ assert }) => {
    await useConfig({ keys: { store: 'memory' } })
    const command = await run('list')
    command.assertFailed()
    assert.match(logOf(command), /OAUTH_KEYS_STORE=database/)
  })
})
