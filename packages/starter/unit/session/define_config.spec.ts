import { Encryption } from '@adonisjs/core/encryption'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { assertWritable } from '#kit/session/cookies'
import { defineConfig } from '#kit/session/define_config'

test.group('SessionConfig | hostPrefix', () => {
  test('the documented names are the default', ({ assert }) => {
    const { cookie, csrfCookie } = defineConfig()
    assert.deepEqual([cookie, csrfCookie], ['service_session', 'XSRF-TOKEN'])
  })

  test('both cookies are named __Host- where they are secure', ({ assert }) => {
    const secure = defineConfig({ hostPrefix: true, csrfCookie: 'MY-XSRF' })
    assert.deepEqual(
      [secure.cookie, secure.csrfCookie],
      ['__Host-service_session', '__Host-MY-XSRF']
    )
    const plain = defineConfig({ hostPrefix: true, secure: false })
    assert.deepEqual([plain.cookie, plain.csrfCookie], ['service_session', 'XSRF-TOKEN'])
  })

  test('a domain or another path is refused with it', ({ assert }) => {
    for (const setting of [{ domain: 'example.com' }, { path: '/app' }]) {
      assert.throws(
        () => defineConfig({ hostPrefix: true, ...setting }),
        /unless it has no "domain" and the "path" \/$/
      )
    }
  })
})

test.group('SessionConfig | sameSite', () => {
  test('"none" is refused unless the cookies are secure', ({ assert }) => {
    assert.throws(
      () => defineConfig({ sameSite: 'none', secure: false }),
      'SessionConfig: browsers drop a cookie with "sameSite" none unless it is "secure"'
    )
    assert.equal(defineConfig({ sameSite: 'none' }).sameSite, 'none')
    assert.equal(defineConfig({ sameSite: 'lax', secure: false }).sameSite, 'lax')
    assert.equal(defineConfig({ sameSite: 'strict' }).sameSite, 'strict')
  })
})

test.group('SessionConfig | cookies', () => {
  test('a cookie that AdonisJS does not write is refused: {$i}')
    .with([
      { cookie: 'my session' },
      { csrfCookie: 'XSRF;' },
      { cookie: '__Host-session', domain: 'example.com' },
      { csrfCookie: '__Secure-XSRF', secure: false },
      { domain: 'https://example.com' },
      { path: '/;x' },
    ])
    .run(async ({ assert }, settings) => {
      const encryption = await app.container.make(Encryption)
      const config = defineConfig(settings)
      const refusal = /^SessionConfig: "(cookie|csrfCookie)" cannot be written: /
      assert.throws(() => assertWritable(config, encryption), refusal)
    })

  test('a name that no cookie or header can have is refused: {$self}')
    .with(['', 'my session', 'XSRF;', 'sid=1', 'a(b)', '"', 'größe', 'a\n', 'a:b'])
    .run(async ({ assert }, name) => {
      const sentence = 'must be a name of letters, digits and signs like - and _'
      for (const setting of ['csrfHeader', 'csrfField']) {
        const refusal = `SessionConfig: "${setting}" ${sentence}`
        assert.throws(() => defineConfig({ [setting]: name }), refusal)
      }
      const encryption = await app.container.make(Encryption)
      for (const setting of ['cookie', 'csrfCookie']) {
        const config = defineConfig({ [setting]: name })
        const refusal = new RegExp(`^SessionConfig: "${setting}" (cannot be written:|${sentence})`)
        assert.throws(() => assertWritable(config, encryption), refusal)
      }
    })

  test('names, domains and paths that browsers take are written', async ({ assert }) => {
    const encryption = await app.container.make(Encryption)
    for (const settings of [
      {},
      { hostPrefix: true },
      { cookie: '__Secure-session', domain: '.example.com', path: '/app' },
    ]) {
      assert.doesNotThrow(() => assertWritable(defineConfig(settings), encryption))
    }
  })

  test('two cookies of one name, and a path that browsers ignore, are refused', ({ assert }) => {
    assert.throws(() => defineConfig({ cookie: 'x', csrfCookie: 'x' }), /different names$/)
    assert.throws(() => defineConfig({ path: 'app' }), /"path" must begin with \/$/)
  })
})
