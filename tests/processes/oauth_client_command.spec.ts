import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { hashSecret } from '#support/secrets'
import { obtainTokens, opens, postToken, refreshing, signedIn } from '#tests/helpers/oauth'
import type { Client } from '#oauth2/clients/client'

const REDIRECT_URI = 'https://client.example.com/callback?app=1'

/** Runs the command as a script does: without a terminal. */
async function register(args: string[], env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    ['--import=@poppinss/ts-exec', app.makePath('bin/console.ts'), 'auth:oauth2:client', ...args],
    {
      cwd: app.makePath(),
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    }
  )
  const [stdout, stderr] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: child.exitCode, stdout, stderr }
}

const valueOf = (output: string, label: string) =>
  new RegExp(`^${label}: (\\S+)$`, 'm').exec(output)?.[1] ?? null

test.group('node ace auth:oauth2:client without a terminal', () => {
  test('registers a confidential and a public client that work without touching code', async ({
    assert,
  }) => {
    const outputs = await Promise.all([
      register(['--name', 'Confidential', '--redirect-uri', REDIRECT_URI]),
      register(['--name', 'Public', '--redirect-uri', REDIRECT_URI, '--public']),
    ])
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
    const { stdout } = await register([
      '--name=A client',
      '--redirect-uri=https://a.example.com/cb',
      '--redirect-uri=com.example.app:/cb',
      '--scopes=posts:read posts:write',
      '--scopes=posts:read',
    ])
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
    const { code, stdout } = await register(['--name=M', '--grant-types=client_credentials'])
    assert.equal(code, 0)
    const id = valueOf(stdout, 'Client ID')!
    const { status } = await postToken({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: valueOf(stdout, 'Client secret'),
    })
    assert.equal(status, 200)
  })

  const good: [string, string] = ['--name=A', '--redirect-uri=https://a.example.com/']
  test('exits 1 with a line on stderr, and hangs never, for: {title}')
    .with([
      { title: 'a missing name', args: [good[1]], message: /name/ },
      { title: 'an empty name', args: ['--name= ', good[1]], message: /name/ },
      { title: 'a missing redirect URI', args: [good[0]], message: /redirect/ },
      { title: 'a relative URI', args: [good[0], '--redirect-uri=/cb'], message: /absolute/ },
      {
        title: 'a fragment',
        args: [good[0], '--redirect-uri=https://a.example.com/#x'],
        message: /fragment/,
      },
      {
        title: 'a refused scheme',
        args: [good[0], '--redirect-uri=javascript:alert(1)'],
        message: /refused/,
      },
      { title: 'the scope *', args: [...good, '--scopes=posts:read *'], message: /\*/ },
      {
        title: 'a scope outside the catalogue',
        args: [...good, '--scopes=nonsense'],
        message: /catalogue/,
      },
      { title: 'an unknown grant', args: [...good, '--grant-types=implicit'], message: /grant/ },
    ])
    .run(async ({ assert }, { args, message }) => {
      const before = await db.from('oauth_clients').count('* as total')
      const { code, stdout, stderr } = await register(args)
      assert.equal(code, 1)
      assert.match(stderr, message)
      assert.lengthOf(stderr.trim().split('\n'), 1)
      assert.equal(stdout, '')
      assert.deepEqual(await db.from('oauth_clients').count('* as total'), before)
    })

  test('refuses where clients live in the memory of the server', async ({ assert }) => {
    const { code, stderr } = await register(good, { OAUTH_CLIENTS_STORE: 'memory' })
    assert.equal(code, 1)
    assert.match(stderr, /OAUTH_CLIENTS_STORE=database/)
  })
})
