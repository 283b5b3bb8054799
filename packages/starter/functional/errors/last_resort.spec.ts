import app from '@adonisjs/core/services/app'
import { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import db from '@adonisjs/lucid/services/db'
import { getActiveTest, test } from '@japa/runner'
import { errors } from '@vinejs/vine'

import { AuthError } from '#kit/auth/errors'
import { HttpExceptionHandler } from '#kit/exceptions/handler'
import { oauthEndpoint } from '#kit/oauth2/protocol_error'
import { SessionService } from '#kit/session/session_service'
import { middleware } from '#start/kernel'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const DOCUMENT = { accept: 'application/vnd.api+json' }
const SESSION = 'service_session'

const away = () =>
  Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:5432'), { code: 'ECONNREFUSED' })

let logged: string[] = []

/** An error whose answer fails. */
function unanswerable({ params, logger }: HttpContext): never {
  logged = []
  logger.error = (_values: unknown, message?: string) => void logged.push(message!)
  throw Object.assign(new AuthError('invalid_request', 'A description.'), {
    handle() {
      throw params.cause === 'away' ? away() : new Error('my secret')
    },
  })
}

router.get('/_test/last/any/:cause', unanswerable)
router.get('/_test/last/oauth/:cause', unanswerable).use(oauthEndpoint)
router.get('/_test/last/boom', () => {
  throw new Error('my secret')
})
router.get('/_test/last/report', ({ logger }) => {
  logged = []
  logger.error = (_values: unknown, message?: string) => void logged.push(message!)
  throw Object.assign(new Error('gone'), {
    status: 410,
    report() {
      throw new Error('my secret')
    },
  })
})
router.get('/_test/last/sessionless', (ctx) => {
  Object.defineProperty(ctx, 'session', { value: undefined })
  throw new errors.E_VALIDATION_ERROR([{ field: 'name', message: 'Wrong', rule: 'x' }])
})
router.get('/_test/last/flash', ({ session, response }) => {
  session.flash('notice', 'Saved')
  return response.redirect().toPath('/login')
})
router.get('/_test/last/viewer', ({ auth }) => {
  auth.resolveUsing = () => Promise.reject(away())
  throw new Error('my secret')
})
router
  .get('/_test/last/document', () => {
    throw new Error('my secret')
  })
  .use(middleware.jsonApi())

/** Replaces a member until the test ends. */
function replace(target: object, name: string, descriptor: PropertyDescriptor) {
  const original = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { configurable: true, ...descriptor })
  getActiveTest()!.cleanup(() => {
    delete (target as any)[name]
    if (original) {
      Object.defineProperty(target, name, original)
    }
  })
}

test.group('Errors whose answer fails', () => {
  test('{path} is {status} {type}, logged once')
    .with([
      { path: 'any/boom', headers: {}, status: 500, type: 'application/json' },
      { path: 'any/away', headers: {}, status: 503, type: 'application/json' },
      { path: 'any/boom', headers: DOCUMENT, status: 500, type: 'application/vnd.api+json' },
      { path: 'any/away', headers: DOCUMENT, status: 503, type: 'application/vnd.api+json' },
      /* feature: oauth2 */
      { path: 'oauth/boom', headers: {}, status: 500, type: 'application/json' },
      { path: 'oauth/away', headers: {}, status: 503, type: 'application/json' },
      /* /feature */
    ])
    .run(async ({ assert }, { path, headers, status, type }) => {
      const response = await new Visitor().get(`/_test/last/${path}`, { headers })
      assert.equal(response.status, status)
      assert.include(response.headers.get('content-type'), type)
      assert.equal(response.headers.has('retry-after'), status === 503)
      const body = (await response.json()) as any
      assert.notInclude(JSON.stringify(body), 'secret')
      if (path.startsWith('oauth')) {
        assert.equal(body.error, status === 503 ? 'temporarily_unavailable' : 'server_error')
      }
      assert.lengthOf(logged, 1)
    })

  test('an error that cannot be reported is answered nevertheless, and the log has that', async ({
    assert,
  }) => {
    const response = await new Visitor().get('/_test/last/report')
    assert.equal(response.status, 410)
    assert.deepEqual(await response.json(), { message: 'gone' })
    assert.deepEqual(logged, ['Cannot report an error'])
  })

  test('in development a program is told the cause of a failure', async ({ assert }) => {
    class Developing extends HttpExceptionHandler {
      protected override debug = true
    }
    const ctx = new HttpContextFactory().create()
    const failure = Object.assign(new Error('the cause'), { status: 500 })
    await new Developing().renderErrorAsJSON(failure as any, ctx)
    const { message, frames } = ctx.response.getBody()
    assert.equal(message, 'the cause')
    assert.isNotEmpty(frames)
  })

  test('a page whose views fail is a plain page', async ({ assert }) => {
    replace(HttpContext.prototype, 'view', {
      get: () => {
        throw new Error('my secret')
      },
    })
    for (const path of ['/_test/last/boom', '/nowhere']) {
      const response = await new Visitor().get(path, { headers: PAGE })
      assert.equal(response.status, 500)
      assert.match(response.headers.get('content-type')!, /^text\/html/)
      const html = await response.text()
      assert.include(html, '<h1>Something went wrong</h1>')
      assert.notInclude(html, 'secret')
    }
  })

  test('a flash message that cannot be kept is 503, and leads nowhere', async ({ assert }) => {
    const service = await app.container.make(SessionService)
    replace(service, 'start', { value: () => Promise.reject(away()) })
    const response = await new Visitor().get('/_test/last/flash', { headers: PAGE })
    assert.equal(response.status, 503)
    assert.isNull(response.headers.get('location'))
    assert.match(response.headers.get('content-type')!, /^text\/html/)
  })
})

test.group('Error pages', () => {
  const large = 'x'.repeat(2_000_000)
  const failures = [
    { name: '404', status: 404, send: (visitor: Visitor) => visitor.get('/no', { headers: PAGE }) },
    {
      name: '413',
      status: 413,
      send: (visitor: Visitor) => visitor.post('/login', { form: { email: large }, headers: PAGE }),
    },
    {
      name: '415',
      status: 415,
      send: (visitor: Visitor) =>
        visitor.post('/login', {
          body: 'x',
          headers: { ...PAGE, 'content-type': 'application/json', 'content-encoding': 'odd' },
        }),
    },
    {
      name: '500',
      status: 500,
      send: (visitor: Visitor) => visitor.get('/_test/last/boom', { headers: PAGE }),
    },
  ]

  test('{name} has the layout for a person, a forged cookie and an expired session')
    .with(failures)
    .run(async ({ assert }, { status, send }) => {
      const { visitor } = await signedIn()
      const forged = new Visitor()
      forged.cookies.set(SESSION, 'forged')
      const expired = new Visitor()
      visitor.cookies.forEach((value, name) => expired.cookies.set(name, value))

      for (const [who, caller] of Object.entries({ visitor, forged })) {
        const response = await send(caller)
        assert.equal(response.status, status, who)
        assert.include(await response.text(), 'class="site-header"', who)
      }
      await db.from('sessions').delete()
      const response = await send(expired)
      assert.equal(response.status, status)
      assert.include(await response.text(), 'href="/login"')
    })

  test('a page of a failed route names who is signed in', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    const response = await visitor.get('/_test/last/boom', { headers: PAGE })
    assert.include(await response.text(), user.fullName ?? user.email)
  })

  test('when nobody can be asked who is signed in, the page has the links of a guest', async ({
    assert,
  }) => {
    const { visitor } = await signedIn()
    const response = await visitor.get('/_test/last/viewer', { headers: PAGE })
    assert.equal(response.status, 500)
    assert.include(await response.text(), 'href="/login"')
  })

  test('a form without a session is not sent back: the refusal is a page with 422', async ({
    assert,
  }) => {
    const response = await new Visitor().get('/_test/last/sessionless', { headers: PAGE })
    assert.equal(response.status, 422)
    assert.include(await response.text(), '<h1>')
  })

  test('a session that cannot be read is a page with 503', async ({ assert }) => {
    const { visitor } = await signedIn()
    replace(await app.container.make(SessionService), 'find', {
      value: () => Promise.reject(away()),
    })
    const response = await visitor.get('/account', { headers: PAGE })
    assert.equal(response.status, 503)
    assert.include(await response.text(), 'class="site-header"')
  })
})
