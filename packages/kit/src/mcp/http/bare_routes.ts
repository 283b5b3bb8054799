import { Route, type RouteGroup, type Router } from '@adonisjs/core/http'
import type { Application } from '@adonisjs/core/app'

/*
| What this module uses of AdonisJS's HTTP server beyond its documented interface:
|
| - `new Route(app, routerMiddleware, options)`: a route that runs no middleware of the router
| - `group.routes.push(route)`: such a route in a group, so that prefix, domain and middleware apply
| - `route.toJSON().pattern`: the pattern with the prefixes of its groups
*/

type Entry = Pick<ConstructorParameters<typeof Route>[2], 'methods' | 'handler'>

/** Creates routes without the router's middleware: no body parser, no session, no CSRF check. */
export class BareRoutes {
  constructor(
    readonly app: Application<any>,
    readonly router: Router
  ) {}

  group(pattern: string, entries: Entry[]): RouteGroup {
    const group = this.router.group(() => {})
    for (const entry of entries) {
      group.routes.push(new Route(this.app, [], { pattern, ...entry, globalMatchers: {} }))
    }
    return group
  }
}

/** The pattern of a group's first route, with the prefixes of outer groups. */
export function patternOf(group: RouteGroup): string {
  return (group.routes[0] as Route).toJSON().pattern
}
