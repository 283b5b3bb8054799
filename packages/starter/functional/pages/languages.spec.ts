import app from '@adonisjs/core/services/app'
import i18nManager from '@adonisjs/i18n/services/main'
import { test } from '@japa/runner'

import { serverUrl } from '#starter/helpers/server_url'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

const languageOf = async (visitor: Visitor, path: string, accepted = '') => {
  const response = await visitor.get(path, { headers: { ...PAGE, 'accept-language': accepted } })
  return /<html lang="([\w-]+)" dir="ltr"/.exec(await response.text())?.[1]
}

const choose = (visitor: Visitor, language: string, page = '') =>
  visitor.post('/language', { form: { language, page }, headers: PAGE })

test.group('The language of pages', () => {
  test('is the one that the browser asks for, and English otherwise', async ({ assert }) => {
    assert.equal(await languageOf(new Visitor(), '/login', 'de-AT,de;q=0.9'), 'de')
    assert.equal(await languageOf(new Visitor(), '/login', 'fr'), 'en')
  })

  test('is found once for a text that browsers ask with, and anew when the languages are others', async ({
    assert,
    cleanup,
  }) => {
    const { getSupportedLocaleFor, supportedLocales } = i18nManager
    let count = 0
    i18nManager.getSupportedLocaleFor = (header) => {
      count++
      return getSupportedLocaleFor.call(i18nManager, header)
    }
    cleanup(() => void Object.assign(i18nManager, { getSupportedLocaleFor, supportedLocales }))
    const asked = async (header: string) => {
      const before = count
      return [await languageOf(new Visitor(), '/login', header), count - before]
    }
    assert.deepEqual(await asked('xx,de;q=0.3'), ['de', 1])
    assert.deepEqual(await asked('xx,de;q=0.3'), ['de', 0])
    assert.deepEqual(await asked('xx'), ['en', 1])
    assert.deepEqual(await asked('xx'), ['en', 0])
    const long = `xx,${'yy,'.repeat(100)}de`
    assert.deepEqual(await asked(long), ['de', 1])
    assert.deepEqual(await asked(long), ['de', 1])
    const fewer = ['en', 'xx']
    i18nManager.supportedLocales = () => fewer
    assert.deepEqual(await asked('de'), ['en', 1])
  })

  test('is what was chosen before, in this session', async ({ assert }) => {
    const visitor = new Visitor()
    await choose(visitor, 'de')
    assert.equal(await languageOf(visitor, '/login', 'en'), 'de')
    await choose(visitor, 'tlh')
    assert.equal(await languageOf(visitor, '/login', 'en'), 'de')
  })

  test('is not chosen by the form of another site, whose session would replace that of whoever is signed in', async ({
    assert,
  }) => {
    const headers = { ...PAGE, 'origin': 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const form = { language: 'de' }
    const response = await new Visitor().post('/language', { form, headers })
    assert.equal(response.headers.get('location'), '/')
    assert.deepEqual(response.setCookies, [])
  })

  test('is kept for the account of whoever is signed in', async ({ assert }) => {
    const { user, visitor } = await signedIn()
    await choose(visitor, 'de')
    await user.refresh()
    assert.equal(user.language, 'de')
    const { visitor: elsewhere } = await signedIn(user)
    assert.equal(await languageOf(elsewhere, '/account', 'en'), 'de')
  })

  test('is chosen without leaving the page that the form names', async ({ assert }) => {
    const link = '/password/reset?token=x&email=ann%40example.com'
    const chosen = await choose(new Visitor(), 'de', link)
    assert.equal(chosen.headers.get('location'), link)
  })

  test('is chosen without JavaScript on the same page, with all of its query', async ({
    assert,
  }) => {
    const page = '/oauth/authorize?client_id=a&resource=b&resource=c&scope=posts%3Aread'
    const headers = { ...PAGE, referer: await serverUrl(page) }
    const form = { language: 'de', page: '' }
    const chosen = await new Visitor().post('/language', { form, headers })
    assert.equal(chosen.headers.get('location'), page)
  })

  test('leads to no other site: {page}')
    .with([{ page: 'https://evil.example/' }, { page: '//evil.example/' }, { page: '/\\evil' }])
    .run(async ({ assert }, { page }) => {
      const chosen = await choose(new Visitor(), 'de', page)
      assert.equal(chosen.headers.get('location'), '/')
    })
})

test.group('What browsers ask for beside the pages', () => {
  test('{path} is there, and its Cache-Control is {kept}')
    .with([
      {
        path: '/favicon.svg',
        type: 'image/svg+xml',
        has: 'fill="#3b3fd8"',
        kept: 'max-age=86400',
      },
      {
        path: '/manifest.webmanifest',
        type: 'application/manifest+json',
        has: '"theme_color":"#3b3fd8","icons":[{"src":"/favicon.svg"',
        kept: 'max-age=86400',
      },
      {
        path: '/robots.txt',
        type: 'text/plain',
        has: 'Disallow: /account',
        kept: 'public, max-age=0',
      },
    ])
    .run(async ({ assert }, { path, type, has, kept }) => {
      const response = await new Visitor().get(path)
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('cache-control'), kept)
      assert.include(response.headers.get('content-type')!, type)
      assert.include(await response.text(), has)
    })

  test('password managers find the page that changes the password', async ({ assert }) => {
    const response = await new Visitor().get('/.well-known/change-password')
    assert.equal(response.headers.get('location'), '/account/password')
    const icon = await new Visitor().get('/favicon.ico')
    assert.equal(icon.headers.get('location'), '/favicon.svg')
  })

  test('every mail can be seen in development, as a page and as text', async ({ assert }) => {
    const list = await new Visitor().get('/dev/mails', { headers: PAGE })
    const paths = [...(await list.text()).matchAll(/href="(\/dev\/mails\/[\w.]+)"/g)]
    assert.isAbove(paths.length, 20)
    for (const [, path] of paths) {
      const mail = await new Visitor().get(path!, { headers: PAGE })
      assert.equal(mail.status, 200, path)
      const text = await mail.text()
      assert.include(text, 'AdonisJS starter', path)
      const isPage = !path!.endsWith('.txt')
      assert.equal(mail.headers.get('content-type')!.startsWith('text/html'), isPage, path)
      assert.equal(text.includes('<body'), isPage, path)
    }
    const missing = await new Visitor().get('/dev/mails/constructor', { headers: PAGE })
    assert.equal(missing.status, 404)
  })

  test('no mail can be seen in production', async ({ assert, cleanup }) => {
    Object.defineProperty(app, 'inProduction', { configurable: true, value: true })
    cleanup(() => void delete (app as { inProduction?: boolean }).inProduction)
    for (const path of ['/dev/mails', '/dev/mails/password_reset']) {
      assert.equal((await new Visitor().get(path, { headers: PAGE })).status, 404)
    }
  })
})
