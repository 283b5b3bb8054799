import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'

import AuthOAuth2Clients from 'adonis-auth-kit/commands/auth_oauth2_clients'
import { keepLogs, runCommand, logOf } from '#starter/helpers/commands'
import {
  type TestClient,
  authorizationServer,
  credentials,
  isolate,
  opens,
  postToken,
  registerClient,
  granted,
} from '#starter/helpers/oauth'
import { registerRelyingParty, useOpenId } from '#starter/helpers/openid'
import { usePushedRequests } from '#starter/helpers/par'
import { stopClock } from '#starter/helpers/time'

const run = (...args: string[]) => runCommand(AuthOAuth2Clients, args)

async function tokenStatus(client: TestClient, secret: string | null = client.secret) {
  const fields = { grant_type: 'client_credentials', ...credentials({ ...client, secret }) }
  return (await postToken(fields)).status
}

test.group('node ace auth:oauth2:clients', (group) => {
  group.each.setup(isolate)
  group.each.setup(keepLogs)

  test('lists clients, and shows one without its secret', async ({ assert }) => {
    const client = await registerClient()
    const list = await run()
    list.assertSucceeded()
    assert.include(logOf(list), client.id)
    assert.match(logOf(list), /^1 client$/m)

    const shown = logOf(await run('show', client.id))
    assert.include(shown, `Client ID: ${client.id}`)
    assert.include(shown, 'Redirect URIs: https://client.example.com/callback')
    const { secret_hash: hash } = await db.from('oauth_clients').where('id', client.id).first()
    assert.notInclude(shown, hash)
    assert.notInclude(shown, client.secret!)
  })

  test('shows what was allowed to a client, and asked of it, as at registration', async ({
    assert,
  }) => {
    const { clients } = await usePushedRequests()
    const options = { firstParty: true, requirePushed: true, refreshGracePeriod: 60 }
    const [{ id }] = await clients.register('Shop', [], true, [], [], null, options)
    const shown = logOf(await run('show', id))
    assert.include(shown, 'First party: nobody is asked to allow it')
    assert.include(shown, 'Pushed requests: it has to push its authorization requests')
    assert.include(shown, 'Grace period: refresh tokens for 60 seconds')
  })

  test('a rotated secret works at once, and the old one for as long as the overlap', async ({
    assert,
  }) => {
    const advance = stopClock()
    const client = await registerClient()
    const rotated = logOf(await run('rotate-secret', client.id, '--overlap=60'))
    const secret = /Client secret: (\S+)/.exec(rotated)![1]!
    assert.equal(await tokenStatus(client, secret), 200)
    advance(59)
    assert.equal(await tokenStatus(client), 200)
    assert.include(logOf(await run('show', client.id)), 'Old secret works until: ')

    advance(1)
    assert.equal(await tokenStatus(client, secret), 200)
    assert.equal(await tokenStatus(client), 401)
  })

  test('without an overlap the old secret ends at once, and so does one from before the last rotation', async ({
    assert,
  }) => {
    const leaked = await registerClient()
    await run('rotate-secret', leaked.id, '--overlap=0')
    assert.equal(await tokenStatus(leaked), 401)

    const client = await registerClient()
    await run('rotate-secret', client.id)
    await run('rotate-secret', client.id)
    assert.equal(await tokenStatus(client), 401)
  })

  test('of two rotations at once one is refused: both would show a secret, and one would work', async ({
    assert,
  }) => {
    const client = await registerClient()
    const { clients } = await authorizationServer()
    const { repository } = clients
    const present = await repository.find(client.id)
    repository.find = () => present
    const restore = () => Reflect.deleteProperty(repository, 'find')
    getActiveTest()!.cleanup(() => void restore())
    const [first, second] = await Promise.allSettled([
      clients.rotateSecret(client.id, 60),
      clients.rotateSecret(client.id, 60),
    ])
    restore()
    const [kept, refused] = first.status === 'fulfilled' ? [first, second] : [second, first]
    assert.match(
      String((refused as PromiseRejectedResult).reason),
      /given another secret, meanwhile/
    )
    const { value } = kept as PromiseFulfilledResult<string>
    assert.equal(await tokenStatus(client, value), 200)
    assert.equal(await tokenStatus(client), 200)
  })

  test('redirect URIs are replaced, and judged as at registration', async ({ assert }) => {
    const client = await registerClient()
    const changed = await run(
      'redirect-uris',
      client.id,
      '--redirect-uri=https://new.example.com/cb'
    )
    changed.assertSucceeded()
    const row = await db.from('oauth_clients').where('id', client.id).first()
    assert.deepEqual(JSON.parse(row.redirect_uris), ['https://new.example.com/cb'])

    for (const uri of ['http://new.example.com/cb', 'javascript:alert(1)', '/relative']) {
      const refused = await run('redirect-uris', client.id, `--redirect-uri=${uri}`)
      refused.assertFailed()
    }
    assert.deepEqual(await db.from('oauth_clients').where('id', client.id).first(), row)
  })

  test('a client that a metadata document describes is not changed', async ({ assert }) => {
    const { id } = await registerClient()
    const row = () => db.from('oauth_clients').where({ id })
    await row().update({ source: 'document' })
    const before = await row().first()
    const uri = '--redirect-uri=https://new.example.com/cb'
    for (const args of [
      ['redirect-uris', id, uri],
      ['logout-uris', id],
      ['rotate-secret', id],
    ]) {
      const command = await run(...args)
      command.assertFailed()
      command.assertLogMatches(/described by its metadata document/)
    }
    assert.deepEqual(await row().first(), before)
  })

  test('a revoked client is refused, and its tokens have ended', async ({ assert }) => {
    const { client, tokens } = await granted()
    const revoked = await run('revoke', client.id)
    revoked.assertSucceeded()
    assert.isFalse(await opens(tokens.access_token))
    assert.equal(await tokenStatus(client), 401)
    const rotated = await run('rotate-secret', client.id)
    rotated.assertFailed()
  })

  test('fails with one line for {what}')
    .with([
      { what: 'an unknown action', args: ['destroy'], message: /Use list, show/ },
      { what: 'an unknown client', args: ['show', 'unknown'], message: /no client with this id/ },
      { what: 'a missing client', args: ['revoke'], message: /no client with this id/ },
    ])
    .run(async (_context, { args, message }) => {
      const command = await run(...args)
      command.assertFailed()
      command.assertLogMatches(message)
    })

  test('a public client has no secret to rotate', async () => {
    const client = await registerClient({ confidential: false })
    const command = await run('rotate-secret', client.id)
    command.assertFailed()
    command.assertLogMatches(/public client has no secret/)
  })

  test('an overlap is a whole number of seconds, 68 years at most: any other one leaves the secret', async ({
    assert,
  }) => {
    const client = await registerClient()
    const stored = () => db.from('oauth_clients').where('id', client.id).first()
    const { secret_hash: hash } = await stored()
    for (const overlap of ['-1', '1.5', '2147483648', '9999999999999']) {
      const command = await run('rotate-secret', client.id, `--overlap=${overlap}`)
      command.assertFailed()
      command.assertLogMatches(/The overlap is a whole number of seconds up to 2147483647, or 0/)
      assert.equal((await stored()).secret_hash, hash)
    }
  })

  test('the logout URIs of a client can be changed and shown, and its kind of subject stays', async ({
    assert,
  }) => {
    await useOpenId()
    const client = await registerRelyingParty({ pairwise: true })
    const uris = ['https://a.example.com/', 'https://b.example.com/out']
    const changed = await run(
      'logout-uris',
      client.id,
      ...uris.map((uri) => `--post-logout-redirect-uri=${uri}`),
      '--backchannel-logout-uri=https://a.example.com/logout'
    )
    changed.assertSucceeded()
    const shown = logOf(await run('show', client.id))
    assert.include(shown, `After a logout: ${uris.join(' ')}`)
    assert.include(shown, 'Told of the end of sessions: https://a.example.com/logout')
    assert.include(shown, 'Subjects: pairwise')

    const refused = await run('logout-uris', client.id, '--backchannel-logout-uri=http://a.test/')
    refused.assertFailed()
    await run('logout-uris', client.id)
    const emptied = logOf(await run('show', client.id))
    assert.include(emptied, 'After a logout: nowhere')
    assert.include(emptied, 'Subjects: pairwise')
  })
})
