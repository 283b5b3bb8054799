import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { test } from '@japa/runner'

import { OriginRules } from '#kit/session/csrf'

const ORIGIN = 'https://spa.example'

function allows(cors: object, origin = ORIGIN) {
  const rules = new OriginRules({ feature: () => undefined }, { cors: cors as any })
  return rules.allows(origin, new HttpContextFactory().create())
}

test.group('Origins that CORS names', () => {
  test('{title} is allowed, while CORS is on')
    .with([
      { title: 'one', origin: ORIGIN },
      { title: 'a text of several', origin: `https://other.example,${ORIGIN}` },
      { title: 'a list', origin: ['https://other.example', ORIGIN] },
      { title: 'a function that says yes', origin: (asked: string) => asked === ORIGIN },
      { title: 'a function that names some', origin: () => [ORIGIN] },
    ])
    .run(({ assert }, { origin }) => {
      assert.isTrue(allows({ enabled: true, origin }))
      assert.isTrue(allows({ enabled: () => true, origin }))
      assert.isFalse(allows({ enabled: true, origin }, 'https://evil.example'))
      assert.isFalse(allows({ enabled: false, origin }))
      assert.isFalse(allows({ enabled: () => false, origin }))
    })

  test('settings that take any origin name none', ({ assert }) => {
    for (const origin of [true, '*', ['*'], false, () => false]) {
      assert.isFalse(allows({ enabled: true, origin }))
    }
  })

  test('without settings there are none', ({ assert }) => {
    const rules = new OriginRules({ feature: () => undefined })
    assert.isFalse(rules.allows(ORIGIN, new HttpContextFactory().create()))
  })
})

test.group("The application's own origins", () => {
  const isOwn = (origin: string, appUrl?: string, isSecure = false) => {
    const ctx = new HttpContextFactory().create()
    ctx.request.request.headers.host = 'app.example:8080'
    ctx.request.secure = () => isSecure
    return new OriginRules({ feature: () => undefined }, appUrl ? { appUrl } : {}).isOwn(
      origin,
      ctx
    )
  }

  test('are that of APP_URL and the host of the request', ({ assert }) => {
    assert.isTrue(isOwn('https://public.example', 'https://public.example/path'))
    assert.isFalse(isOwn('https://public.example'))
    assert.isTrue(isOwn('http://app.example:8080'))
    assert.isTrue(isOwn('https://app.example:8080'))
  })

  test('over https are none of plain http, which anybody on the way can answer for', ({
    assert,
  }) => {
    assert.isFalse(isOwn('http://app.example:8080', undefined, true))
    assert.isTrue(isOwn('https://app.example:8080', undefined, true))
    assert.isTrue(isOwn('http://public.example', 'http://public.example', true))
  })

  test('{$self} is none')
    .with([
      'http://app.example',
      'http://app.example:8081',
      'http://app.example:8080/',
      'app.example:8080',
      'null',
      '',
    ])
    .run(({ assert }, origin) => {
      assert.isFalse(isOwn(origin, 'https://public.example'))
    })
})
