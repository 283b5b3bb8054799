import { readFile, readdir } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { hostPage, hostWords } from 'adonis-auth-kit/oauth2/host_pages'

const PAGES = app.viewsPath('pages/oauth')
const FILES = await readdir(PAGES)

test.group('Pages of OAuth in an application that exists', () => {
  test('{$self} needs no layout, words or components of the starter')
    .with(FILES)
    .run(async ({ assert }, file) => {
      const page = hostPage(await readFile(`${PAGES}/${file}`, 'utf8'))
      assert.include(page, '@oauth.page(')
      assert.notMatch(page, /@layout|@!|\bt\(|deviceWords|appName|href="\/account/)
    })

  test('{$self} has all its words')
    .with(FILES)
    .run(async ({ assert }, file) => {
      const words = await hostWords(app.makePath('resources'), app)
      const page = hostPage(await readFile(`${PAGES}/${file}`, 'utf8'))
      for (const [, key] of page.matchAll(/oauthWords\('([^']+)'/g)) {
        assert.notEqual(words(key!), key, key)
      }
    })

  test('a word takes its values', async ({ assert }) => {
    const words = await hostWords(app.makePath('resources'), app)
    assert.include(words('consent.heading', { client: 'Notes' }), 'Notes')
  })
})
