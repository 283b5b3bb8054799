import { Route, type RouteGroup, type Router } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

import type { ResolvedMcpConfig } from '#mcp/define_config'
import { ServerDefinition } from '#mcp/definition/server_definition'
import { methodNotAllowed, post } from '#mcp/http/endpoint'
import type { ServerClass } from '#mcp/types'

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The MCP servers of the application: where they are mounted, and what they offer. */
export class McpManager {
  readonly #app: ApplicationService
  readonly #router: Router
  readonly #mounts: { Server: ServerClass; route: Route }[] = []
  readonly #definitions = new Map<ServerClass, Promise<ServerDefinition>>()

  constructor(
    app: ApplicationService,
    router: Router,
    readonly config: ResolvedMcpConfig
  ) {
    this.#app = app
    this.#router = router
  }

  /** The servers and the patterns of their routes, in the order they were mounted. */
  get mounts(): { Server: ServerClass; pattern: string }[] {
    return this.#mounts.map(({ Server, route }) => ({ Server, pattern: route.toJSON().pattern }))
  }

  /** Adds the routes of a server; see `Server.router`. */
  mount(Server: ServerClass, prefix: string): RouteGroup {
    const pattern = prefix || '/'
    const definition = () => this.definition(Server)
    const endpoint = this.#route(pattern, ['POST'], async (ctx) =>
      post(ctx, await definition(), this.config)
    )
    this.#mounts.push({ Server, route: endpoint })

    const group = this.#router.group(() => {})
    group.routes.push(endpoint, this.#route(pattern, OTHER_METHODS, methodNotAllowed))
    return group
  }

  /** Everything a server offers, prepared once. */
  definition(Server: ServerClass): Promise<ServerDefinition> {
    let definition = this.#definitions.get(Server)
    if (!definition) {
      definition = ServerDefinition.build(Server, {
        version: this.#app.version?.toString() ?? '0.0.0',
        pageSize: this.config.pageSize,
      })
      this.#definitions.set(Server, definition)
    }
    return definition
  }

  /**
   * Prepares every mounted server, so that a mistake in a definition shows at start.
   *
   * @throws InvalidArgumentsException
   */
  async prepare(): Promise<void> {
    await Promise.all(this.#mounts.map(({ Server }) => this.definition(Server)))
  }

  /**
   * A route that the router's middleware stack leaves alone: the body parser alters what it parses,
   * sessions would be read, and CSRF judged where no cookie counts.
   */
  #route(
    pattern: string,
    methods: string[],
    handler: ConstructorParameters<typeof Route>[2]['handler']
  ) {
    return new Route(this.#app, [], { pattern, methods, handler, globalMatchers: {} })
  }
}
