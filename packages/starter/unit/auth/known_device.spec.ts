import testUtils from '@adonisjs/core/services/test_utils'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { findKnownDevice, rememberDevice } from '#kit/auth/known_device'

const cookiesOf = ({ response }: HttpContext) =>
  [response.getHeader('set-cookie') ?? []].flat().map(String)

/** The next request of the browser that a response went to. */
async function requestAfter(previous?: HttpContext) {
  const ctx = await testUtils.createHttpContext()
  const cookies = previous ? cookiesOf(previous).map((cookie) => cookie.split(';')[0]) : []
  ctx.request.request.headers.cookie = cookies.join('; ')
  return ctx
}

/** A request of a device that has succeeded with subjects, one request each. */
async function requestOf(subjects: string[]) {
  let ctx = await requestAfter()
  for (const subject of subjects) {
    rememberDevice('logins', subject, ctx, 'stamp')
    ctx = await requestAfter(ctx)
  }
  return ctx
}

const isKnown = async (ctx: HttpContext, subject: string, stamps = ['stamp'], action = 'logins') =>
  (await findKnownDevice(action, subject, ctx, () => stamps)) !== null

test.group('A known device', () => {
  test('is known for the action and subject that it succeeded with, while their stamp is valid', async ({
    assert,
  }) => {
    const ctx = await requestOf(['nina'])
    assert.isTrue(await isKnown(ctx, 'nina'))
    assert.isTrue(await isKnown(ctx, 'nina', ['another', 'stamp']))
    assert.isFalse(await isKnown(ctx, 'nina', ['another']))
    assert.isFalse(await isKnown(ctx, 'nina', []))
    assert.isFalse(await isKnown(ctx, 'omar'))
    assert.isFalse(await isKnown(ctx, 'nina', ['stamp'], 'codes'))
    assert.isFalse(await isKnown(await requestAfter(), 'nina'))
  })

  test('asks for stamps only where it has succeeded', async ({ assert }) => {
    const ctx = await requestOf(['nina'])
    const stamps = () => assert.fail('The stamps were asked for')
    assert.isNull(await findKnownDevice('logins', 'omar', ctx, stamps))
  })

  test('is known without a stamp where there is none', async ({ assert }) => {
    const ctx = await requestAfter()
    rememberDevice('logins', 'nina', ctx)
    const next = await requestAfter(ctx)
    assert.isNotNull(await findKnownDevice('logins', 'nina', next))
    assert.isFalse(await isKnown(next, 'nina'))
  })

  test('remembers ten subjects, and forgets first the one that succeeded longest ago', async ({
    assert,
  }) => {
    const names = Array.from({ length: 10 }, (_, index) => `person ${index}`)
    const ctx = await requestOf([...names, 'person 0', 'person 10'])
    assert.isTrue(await isKnown(ctx, 'person 0'))
    assert.isFalse(await isKnown(ctx, 'person 1'))
    assert.isTrue(await isKnown(ctx, 'person 2'))
    assert.isTrue(await isKnown(ctx, 'person 10'))
  })

  test('keeps its id, and has one cookie for all that a request remembers', async ({ assert }) => {
    const before = await requestOf(['nina'])
    const id = await findKnownDevice('logins', 'nina', before, () => ['stamp'])
    before.response.plainCookie('other', 'value')
    rememberDevice('logins', 'omar', before, 'stamp')
    rememberDevice('codes', 'nina', before, 'stamp')
    assert.lengthOf(cookiesOf(before), 2)
    assert.match(cookiesOf(before).at(-1)!, /^known_device=.*Max-Age=34560000.*HttpOnly/)
    const ctx = await requestAfter(before)
    assert.isTrue(await isKnown(ctx, 'omar'))
    assert.isTrue(await isKnown(ctx, 'nina', ['stamp'], 'codes'))
    assert.equal(await findKnownDevice('logins', 'nina', ctx, () => ['stamp']), id)
  })

  test('is not known by a cookie of another shape', async ({ assert }) => {
    for (const value of ['text', { id: 1, subjects: [] }, { id: 'x', subjects: 'y' }]) {
      const ctx = await requestAfter()
      ctx.response.encryptedCookie('known_device', value)
      const next = await requestAfter(ctx)
      assert.isFalse(await isKnown(next, 'nina'))
      rememberDevice('logins', 'nina', next, 'stamp')
      assert.isTrue(await isKnown(await requestAfter(next), 'nina'))
    }
  })
})
