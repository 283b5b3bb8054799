import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { hashSecret } from '#kit/security/secrets'
import { obtainTokens, opens, postToken, refreshing } from '#starter/helpers/oauth'
import { runScript, startTogether } from '#starter/helpers/server_process'
import type { Client } from '#kit/oauth2/clients/client'
import { signedIn } from '#starter/helpers/visitor'

const REDIRECT_URI = 'https://client.example.com/callback?app=1'

/** Runs the command as a script does: without a terminal. */
const register = (args: string[], env: Record<string, string> = {}) =>
  runScript('bin/console.ts', ['auth:oauth2:client', ...args], env)

const valueOf = (output: string, label: string) =>
  new RegExp(`^${label}: (\\S+)$`, 'm').exec(output)?.[1] ?? null

const NAME = '--name=A'
const URI = '--redirect-uri=https://a.example.com/'
const MISSING = [
  { title: 'name', args: [URI], message: /name/ },
  { title: 'redirect URI', args: [NAME], message: /redirect/ },
]

test.group('node ace auth:oauth2:client without a terminal', (group) => {
  const started = startTogether(group, {
    confidential: () => register(['--name', 'Confidential', '--redirect-uri', REDIRECT_URI]),
    public: () => register(['--name', 'Public', '--redirect-uri', REDIRECT_URI, '--public']),
    printed: () =>
      register([
        '--name=A client',
        '--redirect-uri=https://a.example.com/cb',
        '--redirect-uri=com.example.app:/cb',
        '--scopes=posts:read posts:write',
        '--scopes=posts:read',
      ]),
    machine: () => register(['--name=M', '--grant-types=client_credentials']),
    inMemory: () => register([NAME, URI], { OAUTH_CLIENTS_STORE: 'memory' }),
  })
  const refused = startTogether(
    group,
    Object.fromEntries(MISSING.map(({ title, args }) => [title, () => register(args)]))
  )

  test('registers a confidential and a public client that work without touching code', async ({
    assert,
  }) => {
    const outputs = await Promise.all([started.confidential, started.public])
    const { visitor } = await signedIn()
    for (const [index, { code, stdout, stderr }] of outputs.entries()) {
      assert.equal(code, 0, stderr)
      const id = valueOf(stdout, 'Client ID')!
      const secret = valueOf(stdout, 'Client secret')
      assert.equal(secret === null, index === 1)
      const client = { id, secret, client: {} as Client }
      const tokens = await obtainTokens(visitor, client)
      assert.isTrue(await opens(tokens.access_token))
      assert.equal((await postToken(refreshing(client, tokens.refresh_token))).status, 200)
    }
  })

  test('prints id, secret, grants and scopes, and keeps only the hash of the secret', async ({
    assert,
  }) => {
    const { stdout } = await started.printed
    const secret = valueOf(stdout, 'Client secret')!
    assert.match(stdout, /^Client ID: [A-Za-z0-9]{22,}$/m)
    assert.match(stdout, /^Client secret: [A-Za-z0-9]{43,}$/m)
    assert.match(stdout, /save the secret now/i)
    assert.include(stdout, 'authorization_code refresh_token')
    assert.include(stdout, 'posts:read posts:write')
    const row = await db.from('oauth_clients').where('id', valueOf(stdout, 'Client ID')!).first()
    assert.equal(row.secret_hash, hashSecret(secret))
    assert.deepEqual(JSON.parse(row.redirect_uris), [
      'https://a.example.com/cb',
      'com.example.app:/cb',
    ])
    assert.deepEqual(JSON.parse(row.grant_types), ['authorization_code', 'refresh_token'])
    assert.deepEqual(JSON.parse(row.scopes), ['posts:read', 'posts:write'])
  })

  test('--grant-types chooses other grants, and one without codes needs no redirect URI', async ({
    assert,
  }) => {
    const { code, stdout } = await started.machine
    assert.equal(code, 0)
    const id = valueOf(stdout, 'Client ID')!
    const { status } = await postToken({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: valueOf(stdout, 'Client secret'),
    })
    assert.equal(status, 200)
  })

  test('exits 1 with a line on stderr, and hangs never, for a missing {title}')
    .with(MISSING)
    .run(async ({ assert }, { title, message }) => {
      const { code, stdout, stderr } = (await refused[title])!
      assert.equal(code, 1)
      assert.match(stderr, message)
      assert.lengthOf(stderr.trim().split('\n'), 1)
      assert.equal(stdout, '')
      assert.isNull(await db.from('oauth_clients').whereIn('name', ['A', '']).first())
    })

  test('refuses where clients live in the memory of the server', async ({ assert }) => {
    const { code, stderr } = await started.inMemory
    assert.equal(code, 1)
    assert.match(stderr, /OAUTH_CLIENTS_STORE=database/)
  })
})
