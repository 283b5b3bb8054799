import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { createRemoteJWKSet, jwtVerify } from 'jose'

import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import { KeyChanges } from '#kit/oauth2/keys/key_changes'
import { keySet } from '#starter/helpers/keys'
import { credentials, post, registerClient } from '#starter/helpers/oauth'
import { runScript, startServer, startTogether } from '#starter/helpers/server_process'
import { SERVER_WITH_SETTINGS, configFiles, writeConfig } from '#starter/helpers/settings'

const PROCESSES = 4
const ROTATIONS = 10
const WORKERS = 6

/**
 * Seconds for which a key is published before it signs, and milliseconds between two rotations: keys wait in a row. Half
 * of these seconds is what a process has to hear of a key and to answer, also on a machine that is busy with other tests.
 */
const PUBLISH_FOR = 6
const PAUSE = 250

/** Milliseconds after which a load ends by itself. */
const PATIENCE = 200_000

test.group('A set without a key', () => {
  const env = { OAUTH_KEYS_STORE: 'database', OAUTH_KEY: '', PORT: '0' }

  test('stops the start of the server with a sentence that names the command', async ({
    assert,
  }) => {
    const { code, stdout, stderr } = await runScript('bin/server.ts', [], env)
    assert.notEqual(code, 0)
    assert.include(stdout + stderr, 'node ace auth:key make')
  })

  test('is no hindrance for the command that makes one', async ({ assert, cleanup }) => {
    cleanup(async () => {
      await db.from('oauth_keys').delete()
    })
    const { code, stdout, stderr } = await runScript('bin/console.ts', ['auth:key', 'make'], env)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /ES256 {2}signs since /)
  })
})

test.group('Keys across processes', (group) => {
  const started = startTogether(group, {
    servers: async (cleanup) => {
      const store = new DatabaseKeyStore(() => db.connection())
      const { keys } = keySet({ store, publishFor: PUBLISH_FOR })
      const changes = new KeyChanges(keys, PUBLISH_FOR)
      await changes.make()
      cleanup(async () => db.from('oauth_keys').delete())
      const settings = await mkdtemp(join(tmpdir(), 'keys-'))
      cleanup(() => rm(settings, { recursive: true }))
      const values = new Map([['oauth2.keys.publishFor', String(PUBLISH_FOR)]])
      await writeConfig(settings, configFiles(app.makePath('config')), values)
      const urls = await Promise.all(
        Array.from({ length: PROCESSES }, () =>
          startServer(
            { SETTINGS: settings, OAUTH_KEYS_STORE: 'database', OAUTH_KEY: '' },
            { cleanup, script: SERVER_WITH_SETTINGS }
          )
        )
      )
      return { urls, changes }
    },
  })

  test('ten rotations under load: every process and jose verify every token', async ({
    assert,
  }) => {
    const { urls, changes } = await started.servers
    const client = await registerClient()
    const remote = urls.map((url) =>
      createRemoteJWKSet(new URL('/.well-known/jwks.json', url), {
        cacheMaxAge: (PUBLISH_FOR * 1000) / 2,
        cooldownDuration: 0,
      })
    )
    const seen = new Map<string, number>()
    let last: string | null = null
    const end = performance.now() + PATIENCE
    const isOver = () => (last !== null && seen.has(last)) || performance.now() > end

    /** A token of one process is verified by a second one, and by the public keys of a third one. */
    async function work(worker: number) {
      for (let turn = worker; !isOver(); turn++) {
        const [issuer, verifier, publisher] = [0, 1, 2].map((step) => (turn + step) % PROCESSES)
        const { body: issued } = await post(`${urls[issuer!]}/oauth/token`, {
          grant_type: 'client_credentials',
          ...credentials(client),
        })
        const token = issued.access_token
        const { protectedHeader } = await jwtVerify(token, remote[publisher!]!, { typ: 'at+jwt' })
        const { body: answer } = await post(`${urls[verifier!]}/oauth/introspect`, {
          token,
          ...credentials(client),
        })
        assert.isTrue(answer.active)
        seen.set(protectedHeader.kid!, (seen.get(protectedHeader.kid!) ?? 0) + 1)
      }
    }

    async function rotate() {
      let kid = ''
      for (let rotation = 0; rotation < ROTATIONS; rotation++) {
        kid = (await changes.rotate()).kid
        await sleep(PAUSE)
      }
      last = kid
    }

    await Promise.all([rotate(), ...Array.from({ length: WORKERS }, (_, worker) => work(worker))])
    assert.isAbove(seen.size, 1)
    assert.isTrue(seen.has(last!), 'the last key has signed')
  })
})
