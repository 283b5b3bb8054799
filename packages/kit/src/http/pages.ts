import type { HttpContext } from '@adonisjs/core/http'
import encryption from '@adonisjs/core/services/encryption'
import router from '@adonisjs/core/services/router'
import type { Edge } from 'edge.js'

import { remembered } from '#process/remembered'

/* The pages that a person goes through: where they are, which one follows, and what one leaves for the next. */

type UrlFor = (name: string, params?: readonly unknown[], options?: { qs?: object }) => string

/** The path of a route by its name; "/" where the application has no such page, e.g. one on `@adonisjs/auth`. */
export const pathTo: UrlFor = (name, ...rest) =>
  router.has(name) ? (router.urlBuilder.urlFor as unknown as UrlFor)(name, ...rest) : '/'

/** Keeps paths without parameters: AdonisJS's `urlFor` goes through all routes each time, and a page asks for a dozen. */
export function keepPaths(edge: Edge): void {
  const urlFor: UrlFor = edge.globals.urlFor
  const pathOf = remembered((name: string) => urlFor(name))
  edge.global('urlFor', (...route: Parameters<UrlFor>) =>
    route.length > 1 ? urlFor(...route) : pathOf(route[0])
  )
}

/** The page of this site that has led here; null when none has, or nobody knows. */
export function previousPage({ request }: HttpContext): string | null {
  const page = URL.parse(request.getPreviousUrl([]))
  /* Two slashes at the beginning would name another host. */
  return page && page.pathname.replace(/^\/+/, '/') + page.search
}

/** Whether a request asks for something, and sends nothing: HEAD is GET without a body (RFC 9110 §9.3.2). */
export const isReading = ({ request }: HttpContext) => ['GET', 'HEAD'].includes(request.method())

/** The page that a person is on: the one they asked for, or the one with the form that they sent. */
export function pageOf(ctx: HttpContext): string {
  return isReading(ctx)
    ? ctx.request.url(true)
    : (previousPage(ctx) ?? pathTo('account.profile.show'))
}

/** Whether `Accept` names `text/html` and does not prefer JSON. Wildcards alone, as of command-line clients, get JSON. */
export function wantsPage({ request }: Pick<HttpContext, 'request'>): boolean {
  const isNamed = /text\/html/i.test(request.header('accept') ?? '')
  const preferred = isNamed && request.accepts(['html', 'text/html;charset=utf-8', 'json'])
  return Boolean(preferred) && preferred !== 'json'
}

/** The page that follows for a person, and the key of the words that it shows once, if any. */
type Next = { path: string; words?: string; values?: Record<string, unknown> }

/** Says that something is done: to a program as JSON (204 for null), to a person on the page that follows. */
export function answerDone(ctx: HttpContext, json: object | null, next: Next) {
  if (wantsPage(ctx)) {
    return goOn(ctx, 'success', next)
  }
  return json === null ? ctx.response.noContent() : ctx.response.ok(json)
}

/** The same of what has come to an end. A person wanted no more than that it is gone; a program learns that it was not found. */
export function answerEnded(ctx: HttpContext, isFound: boolean, missing: string, next: Next) {
  return isFound || wantsPage(ctx)
    ? answerDone(ctx, null, next)
    : ctx.response.notFound({ message: missing })
}

/** To a program by the error, to a person on the page that follows. @throws the error, unless a page is wanted */
export function answerRefused(ctx: HttpContext, error: Error, next: Next) {
  if (!wantsPage(ctx)) {
    throw error
  }
  return goOn(ctx, 'error', next)
}

/** To the page that follows, which shows the words once. */
export function goOn(ctx: HttpContext, kind: 'success' | 'error', { path, words, values }: Next) {
  words && ctx.session.flash(kind, ctx.i18n.t(words, values))
  return ctx.response.redirect().toPath(path)
}

const SECRET = 'shown_once'

/** The page that shows it is the next one. */
const LIFETIME = '5 minutes'

/** Hands a secret to the next page, encrypted: a page that answers the form would make another one when it is reloaded. */
export function showOnce({ session }: HttpContext, purpose: string, secret: string): void {
  session.flash(SECRET, encryption.encrypt(secret, LIFETIME, purpose))
}

export function shownOnce({ session }: HttpContext, purpose: string): string | null {
  const sealed = session.flashMessages.get(SECRET)
  return typeof sealed === 'string' ? encryption.decrypt<string>(sealed, purpose) : null
}

const ADDRESS = 'typed_address'

/** Keeps the address that a person typed for the next page that asks for it: sign-in, a forgotten password. It never stands in a link. */
export function rememberAddress({ session }: HttpContext, email: string): void {
  session.put(ADDRESS, email)
}

/** The address that the person has typed on a page before; empty when there is none. */
export const typedAddress = ({ session }: HttpContext): string => session?.get(ADDRESS, '') ?? ''
