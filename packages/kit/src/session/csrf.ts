import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'
import type { CorsConfig } from '@adonisjs/cors/types'

import { CsrfTokenMismatch } from '#auth/errors'
import { isMeantBy } from '#http/cors'
import { clientEndpoint, csrfExempt, isMarked, isRedirectedForm } from '#http/route_marks'
import { readSentForm } from '#session/cookies'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'
import type { LiveSession } from '#session/store'
import type { AuthManager } from '#auth/manager'

const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const TOKEN_FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

/** A page of another site has to ask before it sends this type (Fetch standard, §2.2.2). */
const JSON_TYPE = /^\s*application\/([\w.-]+\+)?json\s*(;|$)/i

/** A second click on a form that has replaced the session: a person is led where the first one went, and nothing else happens. */
export class FormSentAgain extends CsrfTokenMismatch {
  constructor(
    readonly next: string,
    readonly success?: string
  ) {
    super()
  }
}

/** Whether a request can change anything, so that `verifyCsrf` has something to check. */
export const isUnsafe = ({ request }: HttpContext) => UNSAFE_METHODS.includes(request.method())

/**
 * Checks that no other site has made an unsafe request. A live session proves it by its CSRF token. Without one only
 * signing in or registering can be abused (login CSRF): everything but JSON from another site is refused.
 * @throws {CsrfTokenMismatch} when the request may have been made by another site
 */
export function verifyCsrf(ctx: HttpContext, service: SessionService): void {
  if (isRedirectedForm(ctx)) {
    return
  }
  const live = RequestSession.liveOf(ctx)
  return live ? verifySession(ctx, service, live) : verifyOrigin(ctx, service)
}

function verifySession(ctx: HttpContext, { config, manager }: SessionService, live: LiveSession) {
  const spa = manager.feature('spa')
  if (spa) {
    verifyStatefulOrigin(ctx, spa.origins)
  }
  if (isExempt(ctx, config.csrfExemptPaths)) {
    return
  }

  const token = ctx.request.header(config.csrfHeader) || formField(ctx, config.csrfField)
  if (!token || !safeEqual(token, live.record.csrfToken)) {
    const sent = token && readSentForm(ctx, token)
    throw sent ? new FormSentAgain(sent.next, sent.success) : new CsrfTokenMismatch()
  }
}

/** SPA mode: a session accepts unsafe requests only from the listed origins. Programs may send no origin. */
function verifyStatefulOrigin(ctx: HttpContext, allowed: readonly string[]) {
  ctx.response.vary('Origin')
  const { origin } = ctx.request.headers()
  if (origin !== undefined && !allowed.includes(origin)) {
    refuseOrigin(ctx, origin, 'The origin of the request is not allowed by STATEFUL_ORIGINS.')
  }
}

/**
 * Forms and empty bodies of other sites could sign the victim in as someone else, or register an account. Callers that
 * send neither `Origin` nor `Sec-Fetch-Site` are no browsers.
 */
function verifyOrigin(ctx: HttpContext, { config, origins }: SessionService) {
  if (
    JSON_TYPE.test(ctx.request.header('content-type') ?? '') ||
    /* A page cannot add this header to a form, and such a request uses no cookie. */
    /^(?:bearer|dpop) /i.test(ctx.request.header('authorization') ?? '') ||
    isMarked(ctx.route, clientEndpoint) ||
    isExempt(ctx, config.csrfExemptPaths)
  ) {
    return
  }

  ctx.response.vary('Origin, Sec-Fetch-Site')
  const { origin } = ctx.request.headers()
  if (isForeign(ctx, origin, origins)) {
    refuseOrigin(ctx, origin, 'The form was sent by another site.')
  }
}

function isForeign(ctx: HttpContext, origin: string | undefined, origins: OriginRules) {
  const site = ctx.request.header('sec-fetch-site')
  if (origin !== undefined && origins.allows(origin, ctx)) {
    return false
  }
  if (site === 'cross-site') {
    return true
  }
  /* Browsers name the origin; without one this is all that is known. */
  if (origin === undefined) {
    return site === 'same-site'
  }
  /* A page without a referrer sends its origin as "null", also to its own site (Fetch standard, §3.2). */
  const concealed = origin === 'null' && site === 'same-origin'
  return !concealed && !origins.isOwn(origin, ctx)
}

/** The origin is for operators: an answer never repeats what the caller sent. */
function refuseOrigin(ctx: HttpContext, origin: string | undefined, description: string): never {
  ctx.logger.debug(
    { origin: origin?.slice(0, 200), site: ctx.request.header('sec-fetch-site')?.slice(0, 20) },
    'Refused an unsafe request of another origin'
  )
  throw new CsrfTokenMismatch(description)
}

/** A trailing `*` matches a prefix. */
function isExempt({ request, route }: HttpContext, patterns: string[]) {
  const path = request.url()
  return isMarked(route, csrfExempt) || patterns.some((pattern) => isMeantBy(pattern, path))
}

function formField(ctx: HttpContext, name: string): string | null {
  if (!ctx.request.is(TOKEN_FORM_TYPES)) {
    return null
  }
  const value = ctx.request.body()[name]
  return typeof value === 'string' ? value : null
}

/** Which origins may send forms to this application: its own, and those that its settings name. */
export class OriginRules {
  readonly #appOrigin: string | null

  constructor(
    protected manager: Pick<AuthManager, 'feature'>,
    protected options: { appUrl?: string; cors?: CorsConfig } = {}
  ) {
    this.#appOrigin = URL.parse(options.appUrl ?? '')?.origin ?? null
  }

  /** Whether this is the origin of APP_URL, or the host that the request was sent to. */
  isOwn(origin: string, { request }: HttpContext): boolean {
    const url = URL.parse(origin)
    const own = url && URL.parse(`${url.protocol}//${request.host()}`)
    /* Over plain http anybody on the way can answer for this host. */
    const isPlain = url?.protocol === 'http:' && request.secure()
    return origin === this.#appOrigin || (origin === own?.origin && !isPlain)
  }

  /** Whether STATEFUL_ORIGINS or CORS name this origin. With `origin: '*'`, CORS names none. */
  allows(origin: string, ctx: HttpContext): boolean {
    return Boolean(
      this.manager.feature('spa')?.origins.includes(origin) || this.#allowedByCors(origin, ctx)
    )
  }

  #allowedByCors(origin: string, ctx: HttpContext) {
    const { cors } = this.options
    if (!cors || !(typeof cors.enabled === 'function' ? cors.enabled(ctx) : cors.enabled)) {
      return false
    }
    if (typeof cors.origin === 'function') {
      const answer = cors.origin(origin, ctx)
      return answer === true || names(answer, origin)
    }
    return names(cors.origin, origin)
  }
}

function names(setting: boolean | string | string[], origin: string) {
  const named = typeof setting === 'string' ? setting.split(',') : setting
  return Array.isArray(named) && named.includes(origin)
}
