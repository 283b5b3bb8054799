import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { hostWords } from '#kit/oauth2/page_words'

const FILES = globSync('{pages,components}/oauth/*.edge', {
  cwd: app.makePath('packages/kit/resources/views'),
})
const read = (file: string) => readFile(app.makePath('packages/kit/resources/views', file), 'utf8')

test.group('Pages of OAuth in an application that exists', () => {
  test('{$self} needs no layout, words or components of the starter')
    .with(FILES)
    .run(async ({ assert }, file) => {
      const page = await read(file)
      assert.notMatch(page, /@!?(?!oauth\.|component\(|if\b|else|end\b|each|let\b)\w+[.(]/)
      assert.notMatch(page, /(?<![.\w])(?:t|moment|deviceWords)\(|(?<!\.)appName/)
      assert.notMatch(page, /\{\{\{ await csrfField/)
    })

  test('{$self} has all its words')
    .with(FILES)
    .run(async ({ assert }, file) => {
      const { t } = await hostWords(app)
      for (const [, key] of (await read(file)).matchAll(/oauth\.t\('pages\.([^']+)'/g)) {
        assert.notEqual(t(`pages.${key}`), key, key)
      }
    })

  test('a word takes its values', async ({ assert }) => {
    const { t } = await hostWords(app)
    assert.include(t('pages.consent.heading', { client: 'Notes' }), 'Notes')
  })
})
