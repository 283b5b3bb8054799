import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { rememberedOf } from '#process/remembered'

type Route = HttpContext['route'] | null | undefined

/** What a route states about itself. It is attached like a middleware and does nothing when it runs. */
export type RouteMark = (ctx: HttpContext, next: NextFn) => unknown

const NO_MARKS: ReadonlySet<RouteMark> = new Set()

/** For routes and groups: `router.post('/hook', handler).use(csrfExempt)`. `node ace list:routes` shows the name. */
export function createRouteMark(name: string): RouteMark {
  const mark: RouteMark = (_ctx, next) => next()
  return Object.defineProperty(mark, 'name', { value: name })
}

const combined = new WeakMap<RouteMark, readonly RouteMark[]>()

/** Several marks as one, because AdonisJS runs each of them, and it takes longer than most middleware. */
export function combineMarks(...marks: RouteMark[]): RouteMark {
  const mark = createRouteMark(marks.map(({ name }) => name).join(' '))
  combined.set(mark, marks)
  return mark
}

const found = rememberedOf((route: NonNullable<Route>): ReadonlySet<RouteMark> => {
  const entries = [...route.middleware.all()] as RouteMark[]
  return new Set(entries.flatMap((entry) => combined.get(entry) ?? entry))
})

/** What a route is marked with, among its other middleware; nothing when no route matched the request. */
export const marksOf = (route: Route): ReadonlySet<RouteMark> => (route ? found(route) : NO_MARKS)

export const isMarked = (route: Route, mark: RouteMark): boolean => marksOf(route).has(mark)

/** Marks that carry a value: what makes one, and what reads the value of a route, undefined without such a mark. */
export function valuedMarks<Value>(name: string) {
  const values = new WeakMap<RouteMark, Value>()
  return {
    mark(value: Value): RouteMark {
      const mark = createRouteMark(name)
      values.set(mark, value)
      return mark
    },
    read(route: Route): Value | undefined {
      const marks = marksOf(route).values()
      const mark = marks.find((one) => values.has(one))
      return mark && values.get(mark)
    },
  }
}

/** The named middleware of a route, `router.post(…).use(middleware.files())`, with what it was given. */
export const namedMiddleware: (route: NonNullable<Route>) => ReadonlyMap<string, unknown> =
  rememberedOf((route) => {
    const entries = [...route.middleware.all()].filter((entry) => typeof entry === 'object')
    return new Map(entries.map(({ name, args }) => [name!, args]))
  })

export const usesMiddleware = (route: Route, name: string): boolean =>
  route ? namedMiddleware(route).has(name) : false

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

/** Refuses its methods: they are not among those that `Allow` names. */
export const refusesMethods = createRouteMark('refusesMethods')

/** Of a relationship's own address: there is none of the related resources. */
export const lacksRelated = createRouteMark('lacksRelated')

/** The body is at most 64 KiB and never multipart, whatever `config/bodyparser.ts` allows elsewhere. */
export const smallBody = createRouteMark('smallBody')

/** The controller reads a form from its raw text: `request.body()` stays empty. */
export const rawForm = createRouteMark('rawForm')
