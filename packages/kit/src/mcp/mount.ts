import type { Application } from '@adonisjs/core/app'
import { Route, type RouteGroup, type Router } from '@adonisjs/core/http'

import { requiredScopes } from '#auth/challenge'
import { assertArgument } from '#config/checks'
import { Protection, type ProtectionOptions, type ResourceServer } from '#mcp/protection'
import type { ServerClass } from '#mcp/server'
import type { RouteMark } from '#http/route_marks'

export class Mount {
  group!: RouteGroup
  #server?: Promise<ServerClass>
  #protected: Protection | null = null
  #frozen?: { pattern: string; byMiddleware: Protection | null }

  /** @param url public URL of the application */
  constructor(
    protected load: () => Promise<ServerClass>,
    protected url: string | null,
    protected resourceServer: () => ResourceServer | null
  ) {}

  get server(): Promise<ServerClass> {
    return (this.#server ??= this.load())
  }

  get pattern(): string {
    return this.#frozen?.pattern ?? patternOf(this.group)
  }

  /** Called for each request: the groups around the mount are complete then, and need not be read again. */
  freeze(): void {
    this.#frozen ??= { pattern: this.pattern, byMiddleware: this.#readMiddleware() }
  }

  get isProtected(): boolean {
    return this.#protected !== null
  }

  /** The protection: that of `protect`, or what the middleware of the group comes to; null without either. */
  get protection(): Protection | null {
    return this.#protected ?? (this.#frozen ? this.#frozen.byMiddleware : this.#readMiddleware())
  }

  /** @throws {InvalidArgumentsException} when the URL of the application is not known */
  protect(options: ProtectionOptions): void {
    const fault =
      'McpConfig: "url" is required to protect an MCP mount: access tokens are bound to it'
    assertArgument(this.url !== null, fault)
    this.#protected = new Protection(options, this.url, () => this.pattern)
  }

  /**
   * Middleware that names a guard of access tokens makes the mount a resource as well. A mount whose
   * path has parameters has no URL that a token could be bound to.
   */
  #readMiddleware(): Protection | null {
    const server = this.resourceServer()
    if (this.url === null || server === null || /[:*]/.test(this.pattern)) {
      return null
    }
    const route = (this.group.routes[0] as Route).toJSON()
    const middleware = [...route.middleware.all()] as { args?: { guards?: string[] } }[]
    const guards = middleware.flatMap(({ args }) => args?.guards ?? [])
    return server.acceptsTokens(guards)
      ? new Protection({ scopes: requiredScopes(route) as any[] }, this.url, () => this.pattern)
      : null
  }
}

/* `new Route()` and `group.routes` are insides of AdonisJS: see CONTRIBUTING.md. */

type Entry = Pick<ConstructorParameters<typeof Route>[2], 'methods' | 'handler'> & {
  mark?: RouteMark
}

/** Routes without the router's middleware: no body parser, no session, no CSRF check. */
export function bareRoutes(app: Application<any>, router: Router, path: string, entries: Entry[]) {
  const group = router.group(() => {})
  for (const { mark, ...entry } of entries) {
    const route = new Route(app, [], { pattern: path, ...entry, globalMatchers: {} })
    group.routes.push(mark ? route.use(mark) : route)
  }
  return group
}

/** The pattern of a group's first route, with the prefixes of outer groups. */
export const patternOf = (group: RouteGroup): string => (group.routes[0] as Route).toJSON().pattern
