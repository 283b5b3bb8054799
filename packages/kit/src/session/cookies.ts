import { hash } from 'node:crypto'

import type { Encryption } from '@adonisjs/core/encryption'
import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { safeEqual } from '@adonisjs/core/helpers'
import { CookieSerializer, type HttpContext } from '@adonisjs/core/http'
import { isValidRedirectUrl } from '@adonisjs/core/http/helpers'

import { assertKind } from '#config/checks'
import { BoundedMap } from '#process/remembered'
import { keepFromCaches } from '#http/caching'
import { wantsPage } from '#http/pages'
import type { ResolvedSessionConfig } from '#session/define_config'
import type { LiveSession, SessionRecord } from '#session/store'

function cookieAttributes({ path, domain, sameSite, secure }: ResolvedSessionConfig) {
  return { path, domain, sameSite, secure }
}

/**
 * At the start: otherwise every sign-in fails.
 * @throws {InvalidArgumentsException} for names that no cookie has, and attributes that AdonisJS refuses to write
 */
export function assertWritable(config: ResolvedSessionConfig, encryption: Encryption): void {
  const serializer = new CookieSerializer(encryption)
  for (const setting of ['cookie', 'csrfCookie'] as const) {
    try {
      serializer.encode(config[setting], 'x', cookieAttributes(config))
    } catch (error) {
      throw new InvalidArgumentsException(
        `SessionConfig: "${setting}" cannot be written: ${(error as Error).message}`
      )
    }
    const kind = 'a name of letters, digits and signs like - and _'
    assertKind('SessionConfig', setting, config[setting], kind)
  }
}

/** Ids of cookies whose signature has been verified, by the cookie's digest: AdonisJS computes three HMACs for each. */
const verified = new BoundedMap<string, string>(10_000)

/** The id of AdonisJS's signed cookie, or null. A signature is verified once; whether the session lives, every time. */
export function readSessionId(ctx: HttpContext, config: ResolvedSessionConfig): string | null {
  const digest = hash('sha256', `${config.cookie}=${ctx.request.cookiesList()[config.cookie]}`)
  const known = verified.get(digest)
  if (known !== undefined) {
    return known
  }
  const id = ctx.request.cookie(config.cookie)
  if (typeof id !== 'string' || id === '') {
    return null
  }
  verified.set(digest, id)
  return id
}

/** Whether the browser holds a session cookie at all, even a stale or forged one. */
export function hasCookie(ctx: HttpContext, config: ResolvedSessionConfig): boolean {
  return ctx.request.header('cookie') !== undefined && config.cookie in ctx.request.cookiesList()
}

/** Sends the cookies that the browser does not hold yet, for as long as the session may last. */
export function sendCookies(
  ctx: HttpContext,
  config: ResolvedSessionConfig,
  { id, record }: LiveSession,
  heldId: string | null
): void {
  const maxAge = Math.max(0, Math.ceil((record.expiresAt - Date.now()) / 1000))
  const options = { ...cookieAttributes(config), maxAge }
  const isLinked = ctx.request.header('sec-fetch-site') === 'cross-site'
  /* Such a link is followed without strict cookies, and those of a guest would replace them. A form works without. */
  if (isLinked && config.sameSite === 'strict' && record.userId === null && ctx.session.isEmpty) {
    return
  }
  if (id !== heldId) {
    keepFromCaches(ctx)
    ctx.response.cookie(config.cookie, id, { ...options, httpOnly: config.httpOnly })
  }
  if (ctx.request.cookiesList()[config.csrfCookie] !== record.csrfToken) {
    const readable = { ...options, httpOnly: false, encode: false }
    ctx.response.plainCookie(config.csrfCookie, record.csrfToken, readable)
  }
  writeSentForm(ctx, config, record)
}

export function clearCookies(ctx: HttpContext, config: ResolvedSessionConfig): void {
  /* Those of the host from before a `domain` was set, too: browsers send them first. */
  for (const domain of new Set([config.domain, undefined])) {
    const attributes = { ...cookieAttributes(config), domain }
    ctx.response.clearCookie(config.cookie, { ...attributes, httpOnly: config.httpOnly })
    ctx.response.clearCookie(config.csrfCookie, { ...attributes, httpOnly: false })
  }
}

/**
 * The hidden field that a form sends the CSRF token in. A guest's names the cookie, from which scripts take the token: tabs
 * that open at once begin a session each. A person's does not: no form may act for whoever has signed in since.
 */
export function csrfInput(
  { csrfField, csrfCookie }: ResolvedSessionConfig,
  { csrfToken, userId }: SessionRecord
): string {
  const cookie = userId === null ? ` data-cookie="${csrfCookie}"` : ''
  return `<input type="hidden" name="${csrfField}" value="${csrfToken}"${cookie} />`
}

const INTENDED_URL = 'intended_url'

/** A person needs a while to sign in. */
const INTENDED_URL_SECONDS = 1800

/** Characters. A browser drops a cookie of more than 4 KiB, and signing adds a third. */
const MAX_LENGTH = 2500

/** The page that a visitor requested before signing in, or null. */
export function readIntendedUrl({ request }: HttpContext): string | null {
  const url = request.cookie(INTENDED_URL)
  return isOwnPath(url) ? url : null
}

/**
 * Keeps it in a signed cookie of its own, so that who only looks at a protected page leaves no session behind. Only a
 * path of this application is kept, so that a login never leads to another site; null forgets it.
 * @returns whether it is kept now
 */
export function writeIntendedUrl(
  { response }: HttpContext,
  config: ResolvedSessionConfig,
  url: string | null
): boolean {
  const options = { ...cookieAttributes(config), httpOnly: true }
  const isKept = isOwnPath(url) && url.length <= MAX_LENGTH
  isKept && response.cookie(INTENDED_URL, url, { ...options, maxAge: INTENDED_URL_SECONDS })
  url === null && response.clearCookie(INTENDED_URL, options)
  return isKept
}

/** Whether an address is a path of this application, which a redirect can lead to. */
export const isOwnPath = (url: unknown): url is string =>
  typeof url === 'string' && url.startsWith('/') && isValidRedirectUrl(url)

const SENT_FORM = 'sent_form'

/** A person who presses a button twice does it soon. */
const SENT_FORM_SECONDS = 60

/** A form that has replaced the session, as a sign-in does, and with it the CSRF token. */
interface SentForm {
  path: string
  token: string
  /** Digest of its fields. The same form with others, e.g. in a second tab, is not the same click. */
  fields: string
  /** The page that followed, and what it said. */
  next: string
  success?: string
}

const digestOf = ({ request }: HttpContext) => hash('sha256', JSON.stringify(request.original()))

/** Keeps in an encrypted cookie where a form has led, when its CSRF token is no longer that of the session. */
function writeSentForm(
  ctx: HttpContext,
  config: ResolvedSessionConfig,
  { csrfToken }: SessionRecord
): void {
  const { request, response } = ctx
  const next = response.getHeader('location')
  if (request.method() !== 'POST' || !wantsPage(ctx) || !isOwnPath(next)) {
    return
  }
  const token = request.body()[config.csrfField]
  if (typeof token === 'string' && token !== csrfToken && (next + token).length <= MAX_LENGTH) {
    const success = ctx.session.responseFlashMessages.get('success')
    const options = { ...cookieAttributes(config), httpOnly: true, maxAge: SENT_FORM_SECONDS }
    const sent: SentForm = { path: request.url(), token, fields: digestOf(ctx), next, success }
    response.encryptedCookie(SENT_FORM, sent, options)
  }
}

/** The form that this request sends again; null when it was not sent before. */
export function readSentForm(ctx: HttpContext, token: string): SentForm | null {
  const sent: SentForm | null = ctx.request.encryptedCookie(SENT_FORM)
  const isSame = sent?.path === ctx.request.url() && sent.fields === digestOf(ctx)
  return isSame && safeEqual(sent.token, token) ? sent : null
}
