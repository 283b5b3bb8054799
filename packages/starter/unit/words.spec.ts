import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { mock } from 'node:test'

import app from '@adonisjs/core/services/app'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { formatters } from '@adonisjs/i18n'
import i18nManager from '@adonisjs/i18n/services/main'
import { test } from '@japa/runner'

const read = (path: string) => readFile(app.makePath(path), 'utf8')
const filesOf = (...patterns: string[]) =>
  globSync(patterns, { cwd: app.makePath(), exclude: ['**/node_modules/**'] })

const TEMPLATES = filesOf('{,packages/kit/}resources/views/**/*.edge')
const CODE = filesOf(
  '{app,start,providers,config,commands}/**/*.ts',
  'packages/kit/{src,providers,commands}/**/*.ts'
)

/** Attributes whose values people read or hear. */
const READ_ATTRIBUTE = /\s(?:aria-label|alt|placeholder|title|data-copied)="([^"]*)"/g

/** Parts of the pages that are the same in every language. */
const WORDLESS = /<(code|style|script)\b[^>]*>.*?<\/\1>/gs
const EDGE_TAG = /^[ \t]*@!?[a-zA-Z.]+(?:\(.*\))?[ \t]*$/gm
const EDGE_VALUE = /\{\{\{?.*?\}?\}\}/gs
const EDGE_COMMENT = /\{\{--.*?--\}\}/gs

/** Words that a template says itself, in text, in attributes and in what it hands to a component. */
function ownWords(template: string): string[] {
  const found: string[] = []
  const handedOver = [...template.matchAll(/\b(?:label|hint|title|heading):\s*(['"`])(.+?)\1/g)]
  found.push(...handedOver.map(([, , text]) => text!))

  const markup = template
    .replaceAll(EDGE_COMMENT, '')
    .replaceAll(EDGE_VALUE, '')
    .replaceAll(EDGE_TAG, '')
  const spoken = markup.matchAll(READ_ATTRIBUTE)
  found.push(...[...spoken].map(([, text]) => text!))
  found.push(...markup.replaceAll(WORDLESS, '').split(/<[^>]*>/))
  return found.map((text) => text.trim()).filter((text) => /\p{L}{2}/u.test(text))
}

/** Names of routes, which look like keys of words. */
const ROUTE_NAME = /\b(?:urlFor\(|pathTo\(|route: )'[\w.]+'/g

/** What `middleware.sure` and `@!sure` ask. */
const QUESTION = /(\bsure\(|\bquestion: )'([\w.]+)'/g

/** Keys of words that a file names. One that ends in a dot stands for all below it. */
function namedKeys(text: string): string[] {
  const groups = [...new Set(Object.keys(words()).map((key) => key.split('.')[0]))].join('|')
  const named = text
    .replaceAll(ROUTE_NAME, '')
    .replaceAll(QUESTION, "$1'pages.sure.$2'")
    .matchAll(new RegExp(`['"\`]((?:${groups})(?:\\.\\w+)+\\.?)(?=['"\`$])`, 'g'))
  return [...named].map(([, key]) => key!)
}

const words = () => i18nManager.getTranslationsFor('en')

test.group('Words', () => {
  /* Pages of MCP tools are the same for everybody, in the language of the tools. */
  test('no template has words of its own: {$self}')
    .with(TEMPLATES.filter((path) => !path.includes('/mcp/')))
    .run(async ({ assert }, path) => {
      assert.deepEqual(ownWords(await read(path)), [])
    })

  test('words in a template are found', ({ assert }) => {
    assert.deepEqual(
      ownWords(`@layout({ title: 'Sign in' })\n<p title="Hear">Read {{ me }}</p>\n@end`),
      ['Sign in', 'Hear', 'Read']
    )
    assert.deepEqual(ownWords(`@if(true)\n<p>{{ t('pages.login.title') }}</p>\n@end`), [])
  })

  test('every key that is named has words, and all words are named', async ({ assert }) => {
    const texts = await Promise.all([...TEMPLATES, ...CODE].map(read))
    const named = new Set(texts.flatMap(namedKeys))
    /* Permissions are in config/scopes.ts in English. */
    const keys = Object.keys({ ...words(), ...i18nManager.getTranslationsFor('de') })

    const missing = [...named].filter(
      (name) => !keys.some((key) => key === name || key.startsWith(name.replace(/\.?$/, '.')))
    )
    assert.deepEqual(missing, [])

    const isNamed = (key: string) =>
      key.split('.').some((_, index, parts) => {
        const prefix = parts.slice(0, index + 1).join('.')
        return (
          named.has(index + 1 === parts.length ? prefix : `${prefix}.`) ||
          (index > 0 && named.has(prefix))
        )
      })
    const unused = keys.filter((key) => !key.startsWith('validation.') && !isNamed(key))
    assert.deepEqual(unused, [])
  })

  test('every security event has words for the page that shows it', async ({ assert }) => {
    const source = await read('packages/kit/src/auth/security_events.ts')
    const [, members] = /export interface SecurityEvents \{(.*?)\n\}/s.exec(source)!
    const events = [...members!.matchAll(/^ {2}(\w+): \{/gm)].map(([, name]) => name!)
    assert.isAbove(events.length, 15)
    /* Nobody is left to look at the last one. */
    const shown = events.filter((name) => name !== 'account_deleted')
    const without = shown.filter((name) => !words()[`pages.account.security.events.${name}`])
    assert.deepEqual(without, [])
  })

  test('every message is valid: {$self}')
    .with(['en', 'de'])
    .run(({ assert }, language) => {
      const i18n = i18nManager.locale(language)
      for (const [key, message] of Object.entries(i18nManager.getTranslationsFor(language))) {
        const names = [...message.matchAll(/\{(\w+)/g)].map(([, name]) => [name, 1])
        const filledIn = i18n.formatRawMessage(message, Object.fromEntries(names))
        assert.isNotEmpty(filledIn, key)
        assert.isTrue(!/[{}]/.test(message) || filledIn !== message, key)
      }
    })

  test('a message is filled in as ICU does it: {message}')
    .with([
      { message: 'Hello {name}, {count}', expected: 'Hello Ann, 2' },
      { message: '{name}{name}', expected: 'AnnAnn' },
      { message: 'Hello { name }', expected: 'Hello Ann' },
      { message: "Ann's {name}", expected: "Ann's Ann" },
      { message: "'{name}' is {name}", expected: '{name} is Ann' },
      { message: '<b>{name}</b> $& # {count}', expected: '<b>Ann</b> $& # 2' },
      { message: '{nothing}, {none}', expected: ', ' },
      { message: '{braces}', expected: '{name}' },
      {
        message: '{count, plural, one {a post} other {# posts}} of {name}',
        expected: '2 posts of Ann',
      },
    ])
    .run(({ assert }, { message, expected }) => {
      const values = { name: 'Ann', count: 2, nothing: null, none: undefined, braces: '{name}' }
      assert.equal(i18nManager.locale('en').formatRawMessage(message, values), expected)
    })

  test('a message that only names its values is not parsed', async ({ assert, cleanup }) => {
    const create = await formatters.icu().resolver(app)
    const icu = mock.method(Object.getPrototypeOf(create(i18nManager.config)), 'format')
    cleanup(() => icu.mock.restore())
    const english = i18nManager.locale('en')
    assert.equal(english.formatRawMessage('Hello {name}', { name: 'Ann' }), 'Hello Ann')
    assert.equal(icu.mock.callCount(), 0)
    assert.equal(english.formatRawMessage('Hello { name }', { name: 'Ann' }), 'Hello Ann')
    assert.equal(icu.mock.callCount(), 1)
  })

  test('a message that cannot be filled in is shown as it is: {$self}')
    .with(['Hello {naem}', 'Hello {name', "It's {count, plural, one {a post}}"])
    .run(({ assert }, message) => {
      const shown = i18nManager.locale('en').formatRawMessage(message, { name: 'Ann', count: 2 })
      assert.equal(shown, message)
    })

  test('people get the language that their browser asks for, and the default otherwise', ({
    assert,
  }) => {
    const { de, en } = i18nManager.getTranslations()
    const wordsFor = (language: string) => {
      const ctx = new HttpContextFactory().create()
      ctx.request.request.headers['accept-language'] = language
      return [ctx.i18n.t('pages.login.title'), ctx.response.getHeader('vary')]
    }
    assert.notEqual(de!['pages.login.title'], en!['pages.login.title'])
    assert.deepEqual(wordsFor('de-AT, en;q=0.5'), [de!['pages.login.title'], 'Accept-Language'])
    assert.deepEqual(wordsFor('fr'), [en!['pages.login.title'], 'Accept-Language'])
  })
})
