import app from '@adonisjs/core/services/app'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test.group('The start page', () => {
  test('a browser gets a page at /', async ({ assert }) => {
    const response = await new Visitor().get('/', { headers: PAGE })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('vary'), 'Origin, Accept, Accept-Language')
    const text = await response.text()
    assert.include(text, '</h1>')
    assert.lengthOf(response.setCookies, 0)
  })

  test('has the addresses of the MCP servers', async ({ assert }) => {
    const response = await new Visitor().get('/', { headers: PAGE })
    assert.include(await response.text(), '/mcp</code>')
  })

  test('every other caller gets an empty 200, whatever it accepts: {accept}')
    .with(['*/*', 'application/json', 'text/plain', ''].map((accept) => ({ accept })))
    .run(async ({ assert }, { accept }) => {
      const response = await new Visitor().get('/', { headers: { accept } })
      assert.equal(response.status, 200)
      assert.equal(await response.text(), '')
    })

  test('a theme that nobody offers is ignored', async ({ assert }) => {
    const visitor = new Visitor()
    visitor.cookies.set('theme', '"><script>')
    const response = await visitor.get('/', { headers: PAGE })
    assert.notInclude(await response.text(), 'data-theme=')
    visitor.cookies.set('theme', 'dark')
    const dark = await visitor.get('/', { headers: PAGE })
    assert.include(await dark.text(), 'data-theme="dark"')
  })
})

test.group('Fields for passwords', () => {
  test('hide what is typed, and are known to password managers: {$self}')
    .with(['/login', '/register'])
    .run(async ({ assert }, path) => {
      const html = await (await new Visitor().get(path, { headers: PAGE })).text()
      const fields = html.match(/<input[^>]*name="password\w*"[^>]*>/g) ?? []
      assert.isNotEmpty(fields)
      for (const field of fields) {
        assert.include(field, 'type="password"')
        assert.match(field, /autocomplete="(current|new)-password"/)
        assert.notMatch(field, /onpaste|maxlength/)
      }
    })
})

test.group('/docs', () => {
  test('shows every document that the start page links to', async ({ assert }) => {
    const start = await new Visitor().get('/', { headers: PAGE })
    const links = [...(await start.text()).matchAll(/href="(\/docs\/[\w-]+)"/g)]
    assert.isNotEmpty(links)
    for (const [, path] of links) {
      const document = await new Visitor().get(path!, { headers: PAGE })
      assert.equal(document.status, 200)
      assert.match(await document.text(), /<h1 id="[\w-]+">/)
    }
  })

  test('links between documents lead to their pages, and headings can be linked to', async ({
    assert,
  }) => {
    const pageOf = async (path: string) => (await new Visitor().get(path, { headers: PAGE })).text()
    const links = [...(await pageOf('/docs/mcp')).matchAll(/href="(\/docs\/[\w-]+)#([\w-]+)"/g)]
    assert.isNotEmpty(links)
    for (const [, path, anchor] of links) {
      assert.include(await pageOf(path!), `id="${anchor}"`, `${path}#${anchor}`)
    }
  })

  test('what is no document here is not linked to', async ({ assert }) => {
    const page = await new Visitor().get('/docs/features', { headers: PAGE })
    const text = await page.text()
    assert.include(text, 'take the package instead')
    assert.notMatch(text, /href="[^"]*\.md/)
  })

  test('404 for every other name: {name}')
    .with(['nothing', '..%2FREADME', 'constructor', '%00'].map((name) => ({ name })))
    .run(async ({ assert }, { name }) => {
      const response = await new Visitor().get(`/docs/${name}`, { headers: PAGE })
      assert.equal(response.status, 404)
    })

  test('nothing is there in production', async ({ assert, cleanup }) => {
    const inTests = Object.getOwnPropertyDescriptor(app, 'inProduction')
    Object.defineProperty(app, 'inProduction', { value: true, configurable: true })
    cleanup(() => {
      inTests
        ? Object.defineProperty(app, 'inProduction', inTests)
        : delete (app as any).inProduction
    })
    const start = await new Visitor().get('/', { headers: PAGE })
    assert.notInclude(await start.text(), '/docs/')
    const document = await new Visitor().get('/docs/settings', { headers: PAGE })
    assert.equal(document.status, 404)
  })
})

test.group('/posts', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('lists the posts, a page at a time, and shows one with its comments', async ({ assert }) => {
    const user = await UserFactory.create()
    const post = await PostFactory.merge({ userId: user.id, title: 'Of <cats>' }).create()
    await CommentFactory.merge({ postId: post.id, userId: user.id, body: 'So true' }).create()

    const list = await new Visitor().get('/posts', { headers: PAGE })
    assert.include(await list.text(), 'Of &lt;cats&gt;')
    const page = await new Visitor().get(`/posts/${post.id}`, { headers: PAGE })
    const text = await page.text()
    assert.include(text, '<h1>Of &lt;cats&gt;</h1>')
    assert.include(text, 'So true')
  })

  test('a name that is written from right to left leaves the date behind it as it is', async ({
    assert,
  }) => {
    const { id: userId } = await UserFactory.merge({ fullName: 'محمد' }).create()
    const { id } = await PostFactory.merge({ userId }).create()
    for (const path of ['/posts', `/posts/${id}`]) {
      const headers = { ...PAGE, 'accept-language': 'de' }
      const page = await new Visitor().get(path, { headers })
      assert.match(await page.text(), />\u2068محمد\u2069, \d+\. /, path)
    }
  })

  test('a page number that makes no sense is the first page: {page}')
    .with(['0', '-1', 'x', '1e9', '99999999'].map((page) => ({ page })))
    .run(async ({ assert }, { page }) => {
      const response = await new Visitor().get(`/posts?page=${page}`, { headers: PAGE })
      assert.equal(response.status, 200)
    })

  test('404 for a post that is not there', async ({ assert }) => {
    for (const id of ['0', 'x', '99999999999']) {
      const response = await new Visitor().get(`/posts/${id}`, { headers: PAGE })
      assert.equal(response.status, 404)
    }
  })
})

test.group('Pages of errors', () => {
  test('show the menu to people who are signed in: {status}')
    .with([
      { status: 404, method: 'GET', path: '/nowhere', body: undefined },
      { status: 405, method: 'DELETE', path: '/login', body: undefined },
      { status: 413, method: 'POST', path: '/account', body: `fullName=${'x'.repeat(2_000_000)}` },
    ])
    .run(async ({ assert }, { status, method, path, body }) => {
      const { user, visitor } = await signedIn()
      const headers = { ...PAGE, 'content-type': 'application/x-www-form-urlencoded' }
      const response = await visitor.request(method, path, { headers, body })
      assert.equal(response.status, status)
      const text = await response.text()
      assert.include(text, user.fullName!)
      assert.include(text, 'Sign out')
      assert.include(response.headers.get('cache-control')!, 'no-store')
    })

  test('offer strangers to sign in, and leave them no session', async ({ assert }) => {
    const response = await new Visitor().get('/nowhere', { headers: PAGE })
    assert.include(await response.text(), 'href="/login"')
    assert.lengthOf(response.setCookies, 0)
  })
})
