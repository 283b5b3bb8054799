import { mock } from 'node:test'

import { HttpContextFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import i18nManager from '@adonisjs/i18n/services/main'
import type { HttpContext } from '@adonisjs/core/http'
import { Edge } from 'edge.js'
import { getActiveTest, test } from '@japa/runner'

import WordsProvider from 'adonis-auth-kit/providers/words_provider'
import { showOnce, shownOnce } from '#kit/http/pages'
import { addViewWords, deviceInWords } from '#kit/http/words'

/** What templates write, where this is the only language. */
function globalsIn(locale: string) {
  const edge = new Edge()
  const manager = { defaultLocale: locale, locale: () => i18nManager.locale(locale) }
  addViewWords(edge, manager as any)
  return edge.globals
}

test.group('Words of pages', () => {
  test('a moment names its time zone, and a date is that of UTC', ({ assert }) => {
    const { moment, date } = globalsIn('en')
    const instant = new Date('2026-03-04T23:05:00Z')
    assert.equal(moment(instant).replaceAll('\u202f', ' '), 'Mar 4, 2026, 11:05 PM UTC')
    assert.equal(date(instant), 'Mar 4, 2026')
    assert.equal(date(instant, 'long'), 'March 4, 2026')
  })

  test('{locale} is written {direction}')
    .with([
      ...['ar', 'fa', 'he', 'ur', 'ar-EG', 'ps', 'ckb', 'az-Arab'].map((locale) => ({
        locale,
        direction: 'rtl',
      })),
      ...['en', 'de-AT'].map((locale) => ({ locale, direction: 'ltr' })),
    ])
    .run(({ assert }, { locale, direction }) => {
      const globals = globalsIn(locale)
      assert.equal(globals.language(), locale)
      assert.equal(globals.direction(), direction)
    })

  test('where there is one language, no header chooses, and no cache is told of one', ({
    assert,
  }) => {
    const { defaultLocale } = i18nManager
    const languages = mock.method(i18nManager, 'supportedLocales', () => [defaultLocale])
    getActiveTest()!.cleanup(() => languages.mock.restore())
    const ctx = new HttpContextFactory().create()
    ctx.request.request.headers['accept-language'] = 'de'
    assert.equal(ctx.i18n.locale, defaultLocale)
    assert.isUndefined(ctx.response.getHeader('vary'))
  })

  test('a default language that has no folder ends the start, one like it has its words', async ({
    assert,
  }) => {
    let chosen = 'fr'
    const locale = mock.getter(i18nManager, 'defaultLocale', () => chosen)
    getActiveTest()!.cleanup(() => locale.mock.restore())
    const boot = () => new WordsProvider(app).boot()
    await assert.rejects(boot, /"defaultLocale" of config\/i18n\.ts is "fr"/)
    chosen = 'en-GB'
    await boot()
    assert.notInclude(i18nManager.locale(chosen).t('pages.login.title'), 'missing')
  })

  test('a device is named by what is known of it', ({ assert }) => {
    const words = i18nManager.locale('en')
    const named = (browser: string | null, system: string | null) =>
      deviceInWords({ browser, system }, words)
    assert.deepEqual(
      [named('Firefox', 'Linux'), named('Firefox', null), named(null, 'Linux')],
      ['Firefox on Linux', 'Firefox', 'Linux']
    )
    assert.equal(named(null, null), words.t('pages.device.unknown'))
  })
})

test.group('A secret for the next page', () => {
  /** What a page reads of a secret that was kept so many seconds before, for a purpose. */
  function shownAfter(seconds: number, purpose = 'codes') {
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    getActiveTest()!.cleanup(() => mock.timers.reset())
    const flashed: Record<string, string> = {}
    const session = {
      flash: (key: string, value: string) => void (flashed[key] = value),
      flashMessages: { get: (key: string) => flashed[key] },
    }
    const ctx = { session } as unknown as HttpContext
    showOnce(ctx, 'codes', 'a secret')
    mock.timers.tick(seconds * 1000)
    return { flashed: JSON.stringify(flashed), shown: shownOnce(ctx, purpose) }
  }

  test('is encrypted, and readable for five minutes', ({ assert }) => {
    const { flashed, shown } = shownAfter(299)
    assert.equal(shown, 'a secret')
    assert.notInclude(flashed, 'a secret')
  })

  test('is gone after five minutes', ({ assert }) => {
    assert.isNull(shownAfter(301).shown)
  })

  test('is for one purpose', ({ assert }) => {
    assert.isNull(shownAfter(0, 'tokens').shown)
  })

  test('is none where nothing was kept', ({ assert }) => {
    const session = { flashMessages: { get: () => undefined } }
    assert.isNull(shownOnce({ session } as unknown as HttpContext, 'codes'))
  })
})
