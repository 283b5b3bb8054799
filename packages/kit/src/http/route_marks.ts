import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** What a route states about itself. It is attached like a middleware and does nothing when it runs. */
export type RouteMark = (ctx: HttpContext, next: NextFn) => unknown

const NO_MARKS: ReadonlySet<RouteMark> = new Set()

/** For routes and groups: `router.post('/hook', handler).use(csrfExempt)`. `node ace list:routes` shows the name. */
export function createRouteMark(name: string): RouteMark {
  const mark: RouteMark = (_ctx, next) => next()
  return Object.defineProperty(mark, 'name', { value: name })
}

const combined = new WeakMap<RouteMark, readonly RouteMark[]>()
const found = new WeakMap<object, ReadonlySet<RouteMark>>()

/** Several marks as one, because AdonisJS runs each of them, and it takes longer than most middleware. */
export function combineMarks(...marks: RouteMark[]): RouteMark {
  const mark = createRouteMark(marks.map(({ name }) => name).join(' '))
  combined.set(mark, marks)
  return mark
}

/** What a route is marked with, among its other middleware; nothing when no route matched the request. */
export function marksOf(route: HttpContext['route'] | null): ReadonlySet<RouteMark> {
  if (!route) {
    return NO_MARKS
  }
  let marks = found.get(route)
  if (!marks) {
    const entries = [...route.middleware.all()] as RouteMark[]
    marks = new Set(entries.flatMap((entry) => combined.get(entry) ?? entry))
    found.set(route, marks)
  }
  return marks
}

/** Whether a route carries a mark; false when no route matched the request. */
export function isMarked(route: HttpContext['route'], mark: RouteMark): boolean {
  return marksOf(route).has(mark)
}

/** Callers of the route never authenticate by a cookie, so its unsafe requests need no CSRF token. */
export const csrfExempt = createRouteMark('csrfExempt')

/** Forms of other sites are only redirected to the same address by GET: they need no CSRF token. Other bodies do. */
export const redirectsForms = createRouteMark('redirectsForms')

/** Whether a request is a form that its route only redirects. */
export function isRedirectedForm({ request, route }: HttpContext): boolean {
  const type = (request.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
  return type === 'application/x-www-form-urlencoded' && isMarked(route, redirectsForms)
}

/** Only programs call the route: errors are JSON whatever the caller accepts. */
export const clientEndpoint = createRouteMark('clientEndpoint')

/** The body is at most 64 KiB and never multipart, whatever `config/bodyparser.ts` allows elsewhere. */
export const smallBody = createRouteMark('smallBody')
