import { safeEqual } from '@adonisjs/core/helpers'
import type { HttpContext } from '@adonisjs/core/http'

import { CsrfTokenMismatch } from '#auth/errors'
import { csrfExempt, isMarked } from '#support/route_marks'
import { RequestSession } from '#session/request_session'
import type { SessionService } from '#session/session_service'

const UNSAFE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
const FORM_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data']

/**
 * Judges an unsafe request of a live session (spec 1, Authentication 4 to 6).
 * A request without a session cookie has nothing that another site could abuse.
 *
 * @throws {CsrfTokenMismatch} when the request may have been made by another site
 */
export function verifyCsrf(ctx: HttpContext, { config, manager }: SessionService): void {
  const live = RequestSession.liveOf(ctx)
  if (!live || !UNSAFE_METHODS.includes(ctx.request.method())) {
    return
  }

  const spa = manager.feature('spa')
  if (spa && !isAllowedOrigin(ctx.request.header('origin'), spa.origins)) {
    throw new CsrfTokenMismatch('The origin of the request is not allowed.')
  }

  if (isMarked(ctx.route, csrfExempt) || isExempt(ctx.request.url(), config.csrfExemptPaths)) {
    return
  }

  const token = ctx.request.header(config.csrfHeader) || formField(ctx, config.csrfField)
  if (!token || !safeEqual(token, live.record.csrfToken)) {
    throw new CsrfTokenMismatch()
  }
}

/** Browsers name the origin of every unsafe request; other callers may leave it out. */
function isAllowedOrigin(origin: string | undefined, allowed: readonly string[]) {
  return origin === undefined || allowed.includes(origin)
}

/** A trailing `*` matches a prefix. */
function isExempt(path: string, patterns: string[]) {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
  )
}

function formField(ctx: HttpContext, name: string): string | null {
  if (!ctx.request.is(FORM_TYPES)) {
    return null
  }
  const value = ctx.request.body()[name]
  return typeof value === 'string' ? value : null
}
