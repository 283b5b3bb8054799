/*
|--------------------------------------------------------------------------
| Views
|--------------------------------------------------------------------------
|
| Values that every page can use.
|
*/

import type { HttpRequest } from '@adonisjs/core/http'
import i18nManager from '@adonisjs/i18n/services/main'
import edge from 'edge.js'

import { appName } from '#config/app'
import { currentWords } from 'adonis-auth-kit/http'

const THEMES = ['light', 'dark']

edge.global('appName', appName)

/** What the switch between light and dark remembers; null to follow the system. */
edge.global('pageTheme', (request: HttpRequest): string | null => {
  const theme = String(request.cookiesList().theme)
  return THEMES.includes(theme) ? theme : null
})

/** The languages that there are words for, each by its own name. */
const languageNames = new Map<string, string>()
const nameOf = (code: string) => new Intl.DisplayNames([code], { type: 'language' }).of(code)!
edge.global('languages', () =>
  i18nManager.supportedLocales().map((code) => {
    const name = languageNames.get(code) ?? nameOf(code)
    languageNames.set(code, name)
    return { code, name }
  })
)

/** Title and text for an error: those of its code, of its status, or of every error like it. */
edge.global('errorWords', (status: number, code?: string) => {
  const words = currentWords(i18nManager)
  const group = [code, status, status >= 500 ? '5xx' : '4xx']
    .map((name) => `pages.error.${name}`)
    .find((key) => words.resolveIdentifier(`${key}.title`))!
  return { title: words.t(`${group}.title`), text: words.t(`${group}.text`) }
})
