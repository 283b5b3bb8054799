import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { DatabaseKeyStore } from '#kit/oauth2/keys/key_store'
import type { OAuth2Config } from '#kit/oauth2/define_config'
import { examineKeys, judgeOAuthKey } from '#kit/doctor/oauth'
import { isolate, useConfig } from '#starter/helpers/oauth'
import { accessToken } from '#starter/helpers/oauth_records'
import { stopClock } from '#starter/helpers/time'

const HOUR = 3600

async function useKeys(config: OAuth2Config = {}) {
  const instance = new DatabaseKeyStore(() => db.connection())
  return useConfig({ keys: { store: 'instance', instance }, ...config })
}

const textOf = (findings: { level: string; about: string; text: string }[]) =>
  findings.map(({ level, about, text }) => `${level} ${about}: ${text}`).join('\n')

test.group('node ace doctor | OAuth keys', (group) => {
  group.each.setup(isolate)

  test('says nothing while there is no set of keys', async ({ assert }) => {
    assert.isEmpty(await examineKeys(await useConfig({})))
    assert.isEmpty(await examineKeys(await useConfig({ keys: { store: 'memory' } })))
  })

  test('names the key that signs, and wants one where none does', async ({ assert }) => {
    const beside = await useKeys()
    assert.match(textOf(await examineKeys(beside)), /^warning .*auth:key make/)
    const alone = await useKeys({ key: null })
    assert.match(textOf(await examineKeys(alone)), /^error .*auth:key make/)
    const kid = await alone.keys.stored!.add('ES256', Date.now())
    assert.include(textOf(await examineKeys(alone)), `ok OAuth keys: ES256 ${kid} signs`)
  })

  test('a key that cannot be decrypted is an error that says what to do', async ({ assert }) => {
    const server = await useKeys()
    const kid = await server.keys.stored!.add('ES256', Date.now())
    await db.from('oauth_keys').update({ sealed: 'another APP_KEY' })
    const report = textOf(await examineKeys(await useKeys()))
    assert.match(report, new RegExp(`^error OAuth keys: ${kid} .*config/encryption.ts`, 'm'))
  })

  test('OAUTH_KEY can go when no token of its time is left', async ({ assert }) => {
    const advance = stopClock()
    const server = await useKeys()
    await server.keys.stored!.add('ES256', Date.now())
    const access = accessToken({
      createdAt: Date.now(),
      expiresAt: Date.now() + 100 * HOUR * 1000,
    })
    await server.tokens.insertTokens({ access, refresh: null })
    assert.match(textOf(await examineKeys(server)), /^ok OAUTH_KEY: .*may still be in use/m)
    advance(99 * HOUR)
    assert.match(textOf(await examineKeys(server)), /^ok OAUTH_KEY: .*may still be in use/m)
    advance(HOUR)
    assert.match(textOf(await examineKeys(server)), /^warning OAUTH_KEY: .*take it out/m)
  })

  test('OAUTH_KEY stays as long as tokens may have its signature that nobody keeps', async ({
    assert,
  }) => {
    const advance = stopClock()
    const server = await useKeys()
    await server.keys.stored!.add('ES256', Date.now())
    advance(server.keys.delay / 1000 + server.config.accessTokenTtl - 1)
    assert.match(textOf(await examineKeys(server)), /^ok OAUTH_KEY: .*may still be in use/m)
    advance(1)
    assert.match(textOf(await examineKeys(server)), /^warning OAUTH_KEY: .*take it out/m)
  })

  test('a missing OAUTH_KEY is no complaint beside a set', ({ assert }) => {
    const appKey = 'f3A9kLm2Qx8Zr7Tn5Vb1Wc6Yd4Ue0Ig-'
    assert.isEmpty(judgeOAuthKey({ appKey, oauthKey: null, hasKeySet: true }, true))
    assert.lengthOf(judgeOAuthKey({ appKey, oauthKey: null }, true), 1)
  })
})
