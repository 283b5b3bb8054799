import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { configProvider } from '@adonisjs/core'
import { HttpContext, RequestValidator } from '@adonisjs/core/http'
import type { I18n, I18nManager } from '@adonisjs/i18n'
import { errors } from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'
import type { Edge } from 'edge.js'
import type { DateTime } from 'luxon'

import type { Device } from '#http/device'
import { BoundedMap, remembered, rememberedOf } from '#process/remembered'
import { KIT_RESOURCES } from '#http/kit_views'

declare module '@adonisjs/core/http' {
  interface HttpContext {
    /** The words in the language of this request. */
    i18n: I18n
  }
}

/** How a moment is written: the reader has to see which time zone it is in. */
export const MOMENT: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
  timeZoneName: 'short',
}

const MESSAGE_SYNTAX = /[{}']/

/** A message whose braces hold names alone, filled in; null where the syntax, or a value, is for the rules of a language. */
function fill(message: string, values: Record<string, unknown> = {}): string | null {
  const parts = message.split(/\{(\w+)\}/)
  const isPlain = parts.every((part, index) =>
    index % 2 ? ['string', 'number'].includes(typeof values[part]) : !MESSAGE_SYNTAX.test(part)
  )
  return isPlain ? parts.map((part, index) => (index % 2 ? values[part] : part)).join('') : null
}

/**
 * The formatter of ICU messages. Parsing one takes 20 µs, so those that need no rules of a language are filled in as they
 * are. One that cannot be filled in is shown as it is, and logged: a slip in a word must not take its page away.
 */
export const messageFormatter = () =>
  configProvider.create(async (app) => {
    /* Only where a configuration asks for it: an application on `@adonisjs/auth` may not have the package. */
    const { formatters } = await import('@adonisjs/i18n')
    const create = await formatters.icu().resolver(app)
    const logger = await app.container.make('logger')
    return (config: Parameters<typeof create>[0]) => {
      const icu = create(config)
      return {
        name: icu.name,
        format(message: string, locale: string, values?: Record<string, any>) {
          try {
            const isText = !MESSAGE_SYNTAX.test(message)
            return isText ? message : (fill(message, values) ?? icu.format(message, locale, values))
          } catch {
            /* Without the error: some quote the value, which may be a secret of a mail. */
            logger.error({ message, locale }, 'This message cannot be filled in')
            return message
          }
        },
      }
    }
  })

/** `ctx.i18n`, and the words of validators. Both look at `Accept-Language` when they are used first. */
export function addRequestWords(manager: I18nManager): void {
  HttpContext.getter(
    'i18n',
    function (this: HttpContext) {
      return manager.locale(languageOf(this, manager))
    },
    true
  )
  RequestValidator.messagesProvider = (ctx) => ({
    /* The provider writes labels into the options of a rule, and the validator keeps those for the next request. */
    getMessage: (message, rule, field, options) => {
      const messages = ctx.i18n.createMessagesProvider('validation')
      return messages.getMessage(message, rule, field, { ...options })
    },
  })
}

let preferred: (ctx: HttpContext) => string | null | undefined = () => null

/** Says which language a person has chosen, before their browser is asked; null when they have chosen none. */
export function preferLanguage(choose: typeof preferred): void {
  preferred = choose
}

/** Which language a header has led to, by the languages that there are; null for none of them. */
const negotiated = rememberedOf((_: string[]) => new BoundedMap<string, string | null>(500))

/** Browsers send few texts, each of which takes 10 µs. A long one is read each time. */
function negotiate(header: string, manager: I18nManager): string | null {
  const find = () => manager.getSupportedLocaleFor(header)
  const known = negotiated(manager.supportedLocales())
  return header.length > 200 ? find() : remembered(find, known)(header)
}

function languageOf(ctx: HttpContext, manager: I18nManager): string {
  const { request, response } = ctx
  if (manager.supportedLocales().length < 2) {
    return manager.defaultLocale
  }
  /* Mails are worded after the reply. */
  if (!response.headersSent) {
    response.vary('Accept-Language')
  }
  const chosen = preferred(ctx)
  return chosen && manager.supportedLocales().includes(chosen)
    ? chosen
    : (negotiate(request.header('accept-language') ?? '', manager) ?? manager.defaultLocale)
}

/** The words of the current request's language; those of the default one outside a request. */
export function currentWords(manager: I18nManager): I18n {
  return HttpContext.get()?.i18n ?? manager.locale(manager.defaultLocale)
}

/** A refused field, for rules that no validator can check; worded by `validation.messages` as theirs are. */
export function fieldError({ i18n }: HttpContext, field: string, rule: string) {
  const message = i18n
    .createMessagesProvider('validation')
    .getMessage(rule, rule, { name: field, wildCardPath: field } as FieldContext)
  return new errors.E_VALIDATION_ERROR([{ field, rule, message }])
}

/** @throws {E_VALIDATION_ERROR} of the refused field, unless the condition holds */
export function assertField(
  isRight: unknown,
  ctx: HttpContext,
  field: string,
  rule: string
): asserts isRight {
  if (!isRight) {
    throw fieldError(ctx, field, rule)
  }
}

/**
 * What templates of pages and mails write words with.
 *
 * - `t(key, values)` the message of a key, `pages.login.title` for example
 * - `language()` the language in use, for `<html lang>`
 * - `direction()` which way that language is written, for `<html dir>`
 * - `moment(instant)` a date and time of day in that language and UTC
 * - `date(instant, style)` a date in that language and UTC; the style is one of `Intl.DateTimeFormat`
 * - `deviceWords(device)` a browser and its system
 * - `oauth` the same for the pages of OAuth, which other applications have, too: see oauth2/page_words.ts;
 *   `oauth.permission(scope)` says a scope in `pages.permissions`, or as its catalogue does
 */
export function addViewWords(edge: Edge, manager: I18nManager): void {
  const t = (key: string, values?: Record<string, unknown>) => currentWords(manager).t(key, values)
  const moment = (instant: Date) => currentWords(manager).formatDate(instant, MOMENT)
  const device = (one: Device) => deviceInWords(one, currentWords(manager))
  const permission = ({ name, description }: { name: string; description: string }) =>
    currentWords(manager).t(`pages.permissions.${name}`, {}, description)
  /* TypeScript does not know all methods of it yet. */
  const locale = remembered((name: string): any => new Intl.Locale(name))

  edge.global('t', t)
  edge.global('moment', moment)
  edge.global('deviceWords', device)
  edge.global('oauth', { t, moment, device, permission, appName: edge.globals.appName })
  edge.global('language', () => currentWords(manager).locale)
  edge.global('direction', () => locale(currentWords(manager).locale).getTextInfo().direction)
  edge.global('date', (instant: Date | DateTime, dateStyle: 'medium' | 'long' = 'medium') =>
    currentWords(manager).formatDate(instant, { dateStyle, timeZone: 'UTC' })
  )
}

/** A browser and its system in words: `pages.device`. */
export function deviceInWords({ browser, system }: Device, words: I18n): string {
  return browser && system
    ? words.t('pages.device.both', { browser, system })
    : (browser ?? system ?? words.t('pages.device.unknown'))
}

/** The languages that a folder has folders for. Files are none, e.g. ".DS_Store" of macOS. */
export async function languagesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => !entry.isFile()).map(({ name }) => name)
}

/**
 * The words of this package, for `loaders` of config/i18n.ts; loaders behind it replace single words. The application has
 * a folder for each language that it offers; a language that this package has not, has the English words.
 * @param location folder of the application's words
 */
export const kitWords = ({ location }: { location: string }) =>
  configProvider.create(async (app) => {
    const { loaders } = await import('@adonisjs/i18n')
    const load = await loaders.fs({ location: join(KIT_RESOURCES, 'lang') }).resolver(app)
    return (config: Parameters<typeof load>[0]) => ({
      async load() {
        const words = await load(config).load()
        const found = await languagesIn(location)
        const languages = found.length ? found : [config.defaultLocale]
        return Object.fromEntries(languages.map((name) => [name, words[name] ?? words.en!]))
      },
    })
  })
