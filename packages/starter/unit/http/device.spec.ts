import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { callerOf, describeDevice } from '#kit/http/device'

function callerWith(ip: string | undefined, userAgent?: string) {
  const ctx = new HttpContextFactory().create()
  ctx.request.ip = () => ip as string
  if (userAgent !== undefined) ctx.request.request.headers['user-agent'] = userAgent
  return callerOf(ctx)
}

test.group('Where a request comes from', () => {
  test('is its address and its User-Agent, as much as a row holds', ({ assert }) => {
    assert.deepEqual(callerWith('x'.repeat(46), `é\t${'y'.repeat(256)}`), {
      ipAddress: 'x'.repeat(45),
      userAgent: 'y'.repeat(255),
    })
    assert.deepEqual(callerWith('10.0.0.1', 'curl/8'), {
      ipAddress: '10.0.0.1',
      userAgent: 'curl/8',
    })
  })

  test('is unknown where the request does not say it', ({ assert }) => {
    assert.deepEqual(callerWith(undefined), { ipAddress: null, userAgent: null })
  })

  test('a device is the browser and the system that the User-Agent names', ({ assert }) => {
    const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
    assert.deepEqual(describeDevice(firefox), { browser: 'Firefox', system: 'Linux' })
    for (const userAgent of [null, '', '?']) {
      assert.deepEqual(describeDevice(userAgent), { browser: null, system: null })
    }
  })
})
