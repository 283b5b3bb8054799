import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import type { Edge } from 'edge.js'

import { remembered } from '#process/remembered'

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

/** The page that a person is on: the one they asked for, or the one with the form that they sent. */
export function pageOf(ctx: HttpContext): string {
  return ctx.request.method() === 'GET'
    ? ctx.request.url(true)
    : (previousPage(ctx) ?? pathTo('account.profile.show'))
}
