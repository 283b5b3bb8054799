import encryption from '@adonisjs/core/services/encryption'
import emitter from '@adonisjs/core/services/emitter'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import vine from '@vinejs/vine'
import { Secret } from 'otpauth'
import decodeQR from 'qr/decode.js'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { authManager } from '#starter/helpers/passwords'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn } from '#starter/helpers/two_factor'
import { recoveryCode } from '#kit/auth/account_proof'
import { defineConfig } from '#kit/two_factor/define_config'
import { TwoFactorSecret } from '#kit/two_factor/database'
import {
  generateRecoveryCodes,
  generateTotpSecret,
  hashRecoveryCode,
  qrCodeSvg,
  totpStepOf,
  totpUri,
} from '#kit/two_factor/totp'
import { TwoFactor } from '#kit/two_factor/two_factor'

/** The secret of the test vectors in RFC 6238, Appendix B, and the last six digits of their codes. */
const RFC_SECRET = Secret.fromUTF8('12345678901234567890').base32
const VECTORS = [
  { seconds: 59, code: '287082' },
  { seconds: 1_111_111_109, code: '081804' },
  { seconds: 1_111_111_111, code: '050471' },
  { seconds: 1_234_567_890, code: '005924' },
  { seconds: 2_000_000_000, code: '279037' },
  { seconds: 20_000_000_000, code: '353130' },
]

/** The pixels of an SVG whose path has a square of one unit for every dark module. */
function paint(svg: string, scale = 4) {
  const size = Number(/viewBox="0 0 (\d+) /.exec(svg)![1])
  const data = new Uint8Array((size * scale) ** 2 * 4).fill(255)
  let [x, y] = [0, 0]
  for (const [, absolute, dx, dy] of svg.matchAll(/([Mm])(-?\d+)[ ,]?(-?\d+)h1v1[Hh]-?\d+Z/g)) {
    ;[x, y] = absolute === 'M' ? [Number(dx), Number(dy)] : [x + Number(dx), y + Number(dy)]
    for (let row = y * scale; row < (y + 1) * scale; row++) {
      for (let column = x * scale; column < (x + 1) * scale; column++) {
        data.fill(0, (row * size * scale + column) * 4, (row * size * scale + column) * 4 + 3)
      }
    }
  }
  return { width: size * scale, height: size * scale, data }
}

test.group('TOTP', () => {
  test('the vector of RFC 6238 at {seconds} seconds')
    .with(VECTORS)
    .run(({ assert }, { seconds, code }) => {
      assert.equal(totpStepOf(RFC_SECRET, code, seconds * 1000), Math.floor(seconds / 30))
    })

  test('a code is of the step that it was made in, one off at most', ({ assert }) => {
    const tick = stopClock()
    tick(30 - ((Date.now() / 1000) % 30))
    const step = Date.now() / 30_000
    const secret = generateTotpSecret()
    for (const [steps, expected] of [
      [-2, null],
      [-1, step - 1],
      [0, step],
      [1, step + 1],
      [2, null],
    ] as const) {
      assert.equal(totpStepOf(secret, codeOf(secret, { steps })), expected)
    }
  })

  test('{$self} is no code')
    .with(['', '12345', '1234567', ' 123456', '１２３４５６', '12345a', '-12345'])
    .run(({ assert }, code) => {
      assert.isNull(totpStepOf(RFC_SECRET, code, 59_000))
    })

  test('secrets have 160 bits and differ', ({ assert }) => {
    const secrets = Array.from({ length: 20 }, generateTotpSecret)
    secrets.forEach((secret) => assert.match(secret, /^[A-Z2-7]{32}$/))
    assert.lengthOf(new Set(secrets), 20)
  })

  test('the QR code holds the address', ({ assert }) => {
    const uri = totpUri(RFC_SECRET, { issuer: 'An app & more', account: 'ann+1@example.com' })
    assert.equal(decodeQR(paint(qrCodeSvg(uri))), uri)
    /* The quiet zone of ISO/IEC 18004 is four modules wide. */
    assert.match(qrCodeSvg(uri), /^<svg [^<>]*><path d="M4 4[^"<>]*"\/><\/svg>$/)
  })
})

test.group('Recovery codes', () => {
  test('are ten different ones of 120 bits, so that a plain hash keeps them', ({ assert }) => {
    const codes = generateRecoveryCodes()
    assert.lengthOf(new Set(codes), 10)
    codes.forEach((code) =>
      assert.match(code, /^([0-9a-hjkmnp-tv-z]{4}-){5}[0-9a-hjkmnp-tv-z]{4}$/)
    )
  })

  test('are the same however they are spelled', ({ assert }) => {
    const hash = hashRecoveryCode('01ab-cdef-ghjk-mnpq')
    for (const spelled of ['01ABCDEFGHJKMNPQ', ' oIab cdef ghjk mnpq ', 'OLAB-CDEF-GHJK-MNPQ']) {
      assert.equal(hashRecoveryCode(spelled), hash)
    }
    assert.notEqual(hashRecoveryCode('01ab-cdef-ghjk-mnpr'), hash)
  })

  test('a form takes {length} characters for one: {taken}')
    .with([
      { length: 0, taken: false },
      { length: 1, taken: true },
      { length: 100, taken: true },
      { length: 101, taken: false },
    ])
    .run(async ({ assert }, { length, taken }) => {
      const typed = { code: ` ${'x'.repeat(length)} ` }
      const [error] = await vine.create({ code: recoveryCode() }).tryValidate(typed)
      assert.equal(error === null, taken)
    })
})

test.group('TwoFactorConfig', () => {
  test('an unknown setting, an empty issuer and one with a colon are refused', ({ assert }) => {
    assert.deepEqual(defineConfig({ issuer: 'My app' }), { issuer: 'My app' })
    for (const issuer of ['', undefined, 5]) {
      assert.throws(() => defineConfig({ issuer } as any), /"issuer" must be a name/)
    }
    assert.throws(() => defineConfig({ issuer: 'a:b' }), /without a colon/)
    assert.throws(
      () => defineConfig({ isuer: 'x' } as any),
      /^TwoFactorConfig: .* did you mean "issuer"/
    )
  })
})

test.group('TwoFactor', () => {
  test("a secret that is copied into another user's row takes no code", async ({ assert }) => {
    const tick = stopClock()
    const [owner, other] = await UserFactory.createMany(2)
    const { secret } = await turnOn(owner!)
    await turnOn(other!)
    const row = await TwoFactorSecret.findByOrFail('userId', String(owner!.id))
    await TwoFactorSecret.query().where('userId', String(other!.id)).update({ secret: row.secret })
    tick(30)

    const manager = await authManager()
    const ctx = new HttpContextFactory().create()
    const lines: unknown[][] = []
    ctx.logger.error = (...line: unknown[]) => void lines.push(line)
    const verify = (user: unknown) => {
      const credentials = { two_factor_code: codeOf(secret) }
      return manager.feature('twoFactor')!.take(user, manager.usersOf(), credentials, ctx)
    }
    assert.isFalse(await verify(other))
    assert.deepEqual(lines, [
      [
        { user: manager.usersOf().ownerOf(other) },
        'Cannot decrypt the secret of a second factor: APP_KEY has changed',
      ],
    ])
    assert.isTrue(await verify(owner))
  })

  test('a set-up is readable for the person who began it alone', async ({ assert }) => {
    const [owner, other] = await UserFactory.createMany(2)
    const manager = await authManager()
    const twoFactor = manager.feature('twoFactor')!
    const sealed = twoFactor.beginSetup(owner!, manager.usersOf())
    assert.isNotNull(twoFactor.setup(owner!, manager.usersOf(), sealed))
    assert.isNull(twoFactor.setup(other!, manager.usersOf(), sealed))
  })

  test('no code and no recovery code proves the second factor of somebody without one', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const manager = await authManager()
    const ctx = new HttpContextFactory().create()
    for (const proof of [{ two_factor_code: '123456' }, { recovery_code: 'xxxx' }]) {
      const isProven = manager.feature('twoFactor')!.take(user, manager.usersOf(), proof, ctx)
      assert.isFalse(await isProven)
    }
  })

  test('an application without throttling has it, too', async ({ assert }) => {
    const tick = stopClock()
    const user = await UserFactory.create()
    const { secret } = await turnOn(user)
    tick(30)
    const manager = await authManager()
    const twoFactor = new TwoFactor(
      { issuer: 'x' },
      { features: { feature: () => undefined }, encryption: encryption.use(), emitter }
    )
    const ctx = new HttpContextFactory().create()
    const proof = { two_factor_code: codeOf(secret) }
    assert.isTrue(await twoFactor.take(user, manager.usersOf(), proof, ctx))
    assert.isFalse(await twoFactor.take(user, manager.usersOf(), proof, ctx))
  })
})
