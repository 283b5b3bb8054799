import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** What a route states about itself. It is attached like a middleware and does nothing when it runs. */
export type RouteMark = (ctx: HttpContext, next: NextFn) => unknown

/**
 * Creates a mark: `router.post('/hook', handler).use(csrfExempt)`. Groups take
 * marks as well, and `node ace list:routes` shows them.
 *
 * @param name how the list of routes shows the mark
 */
export function createRouteMark(name: string): RouteMark {
  const mark: RouteMark = (_ctx, next) => next()
  return Object.defineProperty(mark, 'name', { value: name })
}

/** Whether a route carries a mark; false when no route matched the request. */
export function isMarked(route: HttpContext['route'], mark: RouteMark): boolean {
  return route?.middleware.all().has(mark) ?? false
}

/** Callers of the route never authenticate by a cookie, so its unsafe requests need no CSRF token. */
export const csrfExempt = createRouteMark('csrfExempt')

/** Only programs call the route: errors are JSON whatever the caller accepts. */
export const clientEndpoint = createRouteMark('clientEndpoint')

/** The body is at most 64 KiB and never multipart, whatever `config/bodyparser.ts` allows elsewhere. */
export const smallBody = createRouteMark('smallBody')
