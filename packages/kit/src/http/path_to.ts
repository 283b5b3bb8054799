import router from '@adonisjs/core/services/router'
import type { Edge } from 'edge.js'

type UrlFor = (name: string, params?: readonly unknown[], options?: { qs?: object }) => string

/**
 * The path of a route by its name. Routes of pages are the application's, which may move them; their
 * types are unknown here. An application that has no such page, e.g. one on `@adonisjs/auth`, has its start page.
 */
export const pathTo: UrlFor = (name, ...rest) =>
  router.has(name) ? (router.urlBuilder.urlFor as unknown as UrlFor)(name, ...rest) : '/'

/**
 * Keeps the paths of routes without parameters that templates ask for. The `urlFor` of AdonisJS goes
 * through the list of routes each time, and a page asks for a dozen.
 */
export function keepPaths(edge: Edge): void {
  const urlFor: UrlFor = edge.globals.urlFor
  const paths = new Map<string, string>()
  edge.global('urlFor', (...route: Parameters<UrlFor>) => {
    if (route.length > 1) {
      return urlFor(...route)
    }
    const [name] = route
    const path = paths.get(name) ?? urlFor(name)
    paths.set(name, path)
    return path
  })
}
