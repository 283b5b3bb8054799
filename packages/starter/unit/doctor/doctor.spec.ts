import { test } from '@japa/runner'

import { type ArrivedRequest, judgeArrival } from '#kit/doctor/network'
import { judgeOAuthKey, judgeOpenId } from '#kit/doctor/oauth'
import {
  judgeCookies,
  judgeKey,
  judgeNode,
  judgePort,
  judgeProductionSettings,
} from '#kit/doctor/settings'

const GOOD = 'f3A9kLm2Qx8Zr7Tn5Vb1Wc6Yd4Ue0Ig-'
const OTHER = 'Zr7Tn5Vb1Wc6Yd4Ue0Ig-f3A9kLm2Qx8'
const levels = (findings: { level: string }[]) => findings.map(({ level }) => level)

const ARRIVAL: ArrivedRequest = {
  peer: '10.0.0.3',
  isTrusted: true,
  forwarded: ['x-forwarded-for', 'x-forwarded-proto'],
  protocol: 'https',
  host: 'app.example.com',
}

test.group('Doctor', () => {
  test('wants a Node.js that is new enough', ({ assert }) => {
    assert.deepEqual(judgeNode('v24.0.0'), { level: 'ok', about: 'Node.js', text: 'v24.0.0' })
    const text = 'v23.99.0 is too old: install Node.js 24 or newer'
    assert.deepEqual(judgeNode('v23.99.0'), { level: 'error', about: 'Node.js', text })
  })

  test('{what} is an error in production, a warning elsewhere, and not shown')
    .with([
      { what: 'a short key', key: 'tiny-key' },
      { what: 'a key that repeats itself', key: 'ab'.repeat(30) },
    ])
    .run(({ assert }, { key }) => {
      const finding = judgeKey('APP_KEY', key, true)
      assert.equal(finding.level, 'error')
      assert.equal(judgeKey('APP_KEY', key, false).level, 'warning')
      assert.notInclude(JSON.stringify(finding), key)
      assert.equal(judgeKey('APP_KEY', GOOD, true).level, 'ok')
    })

  test('a key has 32 characters or more, ten of them different', ({ assert }) => {
    const texts = [GOOD, GOOD.slice(1), `${'abcdefghij'.repeat(4)}`, 'abcdefghi'.repeat(4)].map(
      (key) => judgeKey('APP_KEY', key, true).text
    )
    assert.deepEqual(texts, [
      'long enough',
      'shorter than 32 characters: set 32 random bytes',
      'long enough',
      'repeats itself: set 32 random bytes',
    ])
  })

  test('APP_URL on this computer has to name the port, elsewhere any', ({ assert }) => {
    assert.isEmpty(judgePort('http://localhost:3333', 3333))
    assert.isEmpty(judgePort('https://tunnel.example', 3333))
    assert.isEmpty(judgePort('http://localhost', 80))
    assert.isEmpty(judgePort('https://localhost', 443))
    const [finding, ...others] = judgePort('https://127.0.0.1', 3333)
    assert.isEmpty(others)
    assert.include(finding, { level: 'warning', about: 'APP_URL' })
    assert.match(finding!.text, /^names port 443, and the application listens on 3333: /)
  })

  test('settings that suit production are one line, others a warning each', ({ assert }) => {
    const good = { appUrl: 'https://app.example.com', mailer: 'smtp', sqliteFile: null }
    assert.deepEqual(judgeProductionSettings(good), [
      {
        level: 'ok',
        about: 'settings',
        text: 'what a start would warn about suits production',
      },
    ])
    const found = judgeProductionSettings({
      ...{ appUrl: 'http://app.example.com', mailer: 'log', limiterStore: 'memory' },
      ...{ issuer: null, sqliteFile: 'tmp/db.sqlite3' },
    })
    assert.deepEqual(
      found.map(({ level, about, text }) => [level, about, text.split(' ')[0]]),
      ['APP_URL', 'MAIL_MAILER', 'LIMITER_STORE', 'OAUTH_ISSUER', 'SQLITE_FILE'].map((name) => [
        ...['warning', 'setting', name],
      ])
    )
  })

  test('OAuth: {what} is an error in production, a warning elsewhere, and not shown')
    .with([
      { what: 'a short key', oauthKey: 'tiny-key' },
      { what: 'no key', oauthKey: null },
      { what: 'the key of the application', oauthKey: GOOD },
    ])
    .run(({ assert }, { oauthKey }) => {
      const findings = judgeOAuthKey({ appKey: GOOD, oauthKey }, true)
      assert.deepEqual(levels(findings), ['error'])
      assert.equal(findings[0]!.about, 'OAUTH_KEY')
      assert.deepEqual(levels(judgeOAuthKey({ appKey: GOOD, oauthKey }, false)), ['warning'])
      assert.notInclude(JSON.stringify(findings), `"${oauthKey}`)
      assert.deepEqual(levels(judgeOAuthKey({ appKey: GOOD, oauthKey: OTHER }, true)), ['ok'])
    })

  test('cookies over plain http are an error in production', ({ assert }) => {
    const judged = [
      judgeCookies([true, true], true),
      judgeCookies([false, true], true),
      judgeCookies([true, false], false),
    ]
    assert.deepEqual(levels(judged), ['ok', 'error', 'warning'])
    assert.isTrue(judged.every(({ about }) => about === 'cookies'))
  })

  test('OpenID Connect with a secret is an error, with plain http a warning', ({ assert }) => {
    const [secure, plain] = ['https://id.example.com', 'http://localhost:3333']
    assert.equal(judgeOpenId({ isAsymmetric: true, issuer: secure }).level, 'ok')
    assert.equal(judgeOpenId({ isAsymmetric: true, issuer: plain }).level, 'warning')
    assert.equal(judgeOpenId({ isAsymmetric: false, issuer: secure }).level, 'error')
  })

  test('a request that arrives {how} is {level}')
    .with([
      { how: 'through a trusted proxy', arrival: {}, level: 'ok' },
      {
        how: 'without a proxy',
        arrival: { forwarded: [], isTrusted: false },
        level: 'ok',
      },
      {
        how: 'through an unknown proxy',
        arrival: { isTrusted: false },
        level: 'error',
        text: 'requests come through 10.0.0.3, which is not trusted:',
      },
      {
        how: 'as http',
        arrival: { protocol: 'http' },
        level: 'error',
        text: 'requests arrive as http, and APP_URL is https:',
      },
      {
        how: 'for another host',
        arrival: { host: 'app:3333' },
        level: 'warning',
        text: 'requests arrive for app:3333, and APP_URL is app.example.com:',
      },
    ])
    .run(({ assert }, { arrival, level, text = '' }) => {
      const finding = judgeArrival({ ...ARRIVAL, ...arrival }, 'https://app.example.com')
      assert.equal(finding.level, level)
      assert.equal(finding.about, 'proxy')
      assert.isTrue(finding.text.startsWith(text), finding.text)
    })

  test('a proxy that is trusted is named, and where there is none it says so', ({ assert }) => {
    const texts = [ARRIVAL, { ...ARRIVAL, forwarded: [] }].map(
      (arrival) => judgeArrival(arrival, 'https://app.example.com').text
    )
    assert.deepEqual(texts, ['10.0.0.3 is trusted', 'none in front'])
  })
})
