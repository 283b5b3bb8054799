import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { AdonisAuthGuard } from '#kit/auth/guards/adonis_auth'
import IntendedUrlMiddleware from '#kit/auth/middleware/intended_url_middleware'

const ASKED = '/oauth/authorize?client_id=1'

/** The session of @adonisjs/session, as far as it is used. */
class Session {
  readonly values = new Map<string, unknown>()
  has = (key: string) => this.values.has(key)
  put = (key: string, value: unknown) => void this.values.set(key, value)
  pull = (key: string) => {
    const value = this.values.get(key)
    this.values.delete(key)
    return value
  }
  setIntendedUrl = (url: string) => this.put('intended', url)
  getIntendedUrl = () => (this.values.get('intended') as string) ?? null
  pullIntendedUrl = () => (this.pull('intended') as string) ?? null
}

function createContext(session: Session, user?: object) {
  const ctx = new HttpContextFactory().create()
  const guard = { user, check: async () => user !== undefined, logout: async () => {} }
  return Object.defineProperties(ctx, {
    session: { value: session },
    auth: { value: { use: () => guard } },
  }) as unknown as HttpContext
}

/** Somebody without a session opens a page of the kit, and is sent to the sign-in page. */
async function sendToSignIn(session: Session) {
  const ctx = createContext(session)
  const spec = { provider: 'users', sessionGuard: 'web', loginPage: '/login' }
  const guard = new AdonisAuthGuard(spec, 'web', {} as any, ctx)
  const error: any = await guard.authenticate().catch((refusal) => refusal)
  ctx.request.request.headers.accept = 'text/html'
  session.setIntendedUrl(ASKED)
  error.handle(error, ctx)
}

async function answer(ctx: HttpContext, respond: (ctx: HttpContext) => void) {
  await new IntendedUrlMiddleware().handle(ctx, async () => respond(ctx))
  return ctx.response.getHeader('location')
}

const redirect = (ctx: HttpContext) => ctx.response.redirect().toPath('/home')

test.group('Back to the page that asked for a login', () => {
  test('the redirect of a login leads there, once', async ({ assert }) => {
    const session = new Session()
    await sendToSignIn(session)
    assert.equal(await answer(createContext(session, {}), redirect), ASKED)
    assert.isNull(session.getIntendedUrl())
    assert.equal(await answer(createContext(session, {}), redirect), '/home')
  })

  test('a login that fails leads where the application wants, and the next one back', async ({
    assert,
  }) => {
    const session = new Session()
    await sendToSignIn(session)
    assert.equal(await answer(createContext(session), redirect), '/home')
    assert.equal(await answer(createContext(session, {}), redirect), ASKED)
  })

  test('a login that goes there by itself is left alone', async ({ assert }) => {
    const session = new Session()
    await sendToSignIn(session)
    const location = await answer(createContext(session, {}), (ctx) => {
      ctx.response.redirect().toPath(`${session.pullIntendedUrl()}&own=1`)
    })
    assert.equal(location, `${ASKED}&own=1`)
  })

  test('a login that does not redirect is left alone, and so is every later redirect', async ({
    assert,
  }) => {
    const session = new Session()
    await sendToSignIn(session)
    assert.isUndefined(await answer(createContext(session, {}), ({ response }) => response.ok('')))
    assert.equal(await answer(createContext(session, {}), redirect), '/home')
  })

  test('what a login answers is passed on', async ({ assert }) => {
    const ctx = createContext(new Session())
    assert.equal(await new IntendedUrlMiddleware().handle(ctx, async () => 'answer'), 'answer')
  })

  test('a page of the application that asked for a login is its own business', async ({
    assert,
  }) => {
    const session = new Session()
    session.setIntendedUrl('/reports')
    assert.equal(await answer(createContext(session, {}), redirect), '/home')
  })
})
