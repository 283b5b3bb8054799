import { readFile } from 'node:fs/promises'

import type { RouteGroup, Router } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'

import type { ResolvedMcpConfig } from '#mcp/define_config'
import { ServerDefinition } from '#mcp/definition/server_definition'
import { BareRoutes, patternOf } from '#mcp/http/bare_routes'
import { methodNotAllowed, post } from '#mcp/http/endpoint'
import type { ServerClass } from '#mcp/types'

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The MCP servers of the application: where they are mounted, and what they offer. */
export class McpManager {
  readonly #app: ApplicationService
  readonly #routes: BareRoutes
  readonly #mounts: { Server: ServerClass; group: RouteGroup }[] = []
  readonly #definitions = new Map<ServerClass, Promise<ServerDefinition>>()

  constructor(
    app: ApplicationService,
    router: Router,
    readonly config: ResolvedMcpConfig
  ) {
    this.#app = app
    this.#routes = new BareRoutes(app, router)
  }

  /** The mounted servers and the patterns of their routes, in the order of their mounting. */
  get mounts(): { Server: ServerClass; pattern: string }[] {
    return this.#mounts.map(({ Server, group }) => ({ Server, pattern: patternOf(group) }))
  }

  /** Adds the routes of a server; see `Server.router`. */
  mount(Server: ServerClass, prefix: string): RouteGroup {
    const group = this.#routes.group(prefix || '/', [
      {
        methods: ['POST'],
        handler: async (ctx) => post(ctx, await this.definition(Server), this.config),
      },
      { methods: OTHER_METHODS, handler: methodNotAllowed },
    ])
    this.#mounts.push({ Server, group })
    return group
  }

  /** The definition of a server, built once. */
  definition(Server: ServerClass): Promise<ServerDefinition> {
    let definition = this.#definitions.get(Server)
    if (!definition) {
      definition = this.#appVersion().then((version) =>
        ServerDefinition.build(Server, { version, pageSize: this.config.pageSize })
      )
      this.#definitions.set(Server, definition)
    }
    return definition
  }

  /**
   * Builds the definition of every mounted server, so that mistakes show at start.
   *
   * @throws {InvalidArgumentsException} for an invalid definition
   */
  async prepare(): Promise<void> {
    await Promise.all(this.#mounts.map(({ Server }) => this.definition(Server)))
  }

  /** Read from package.json: `app.version` of AdonisJS 7 is never set. */
  async #appVersion(): Promise<string> {
    const text = await readFile(this.#app.makePath('package.json'), 'utf8')
    return JSON.parse(text).version ?? '0.0.0'
  }
}
