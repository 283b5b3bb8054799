import { readFile } from 'node:fs/promises'

import type { HttpContext, RouteGroup, Router } from '@adonisjs/core/http'
import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'

import type { ResolvedMcpConfig } from '#mcp/define_config'
import { ServerDefinition } from '#mcp/definition/server_definition'
import type { Announce } from '#mcp/events'
import { BareRoutes, patternOf } from '#mcp/http/bare_routes'
import { methodNotAllowed, post } from '#mcp/http/endpoint'
import { allowEveryOrigin, resourceMetadata } from '#mcp/http/metadata'
import { Protection, type ProtectionOptions, type ResourceServer } from '#mcp/protection'
import type { MountRoutes, ServerClass } from '#mcp/types'

const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

interface Mount {
  Server: ServerClass
  group: RouteGroup
  protection: Protection | null
}

/** The MCP servers of the application: where they are mounted, and what they offer. */
export class McpManager {
  readonly #app: ApplicationService
  readonly #routes: BareRoutes
  readonly #mounts: Mount[] = []
  readonly #definitions = new Map<ServerClass, Promise<ServerDefinition>>()
  #resourceServer: ResourceServer | null = null

  constructor(
    app: ApplicationService,
    router: Router,
    readonly config: ResolvedMcpConfig,
    readonly announce: Announce = () => {}
  ) {
    this.#app = app
    this.#routes = new BareRoutes(app, router)
  }

  /** The mounted servers and the patterns of their routes, in the order of their mounting. */
  get mounts(): { Server: ServerClass; pattern: string; protection: Protection | null }[] {
    return this.#mounts.map(({ Server, group, protection }) => ({
      Server,
      pattern: patternOf(group),
      protection,
    }))
  }

  /** Adds the routes of a server; see `Server.router`. */
  mount(Server: ServerClass, prefix: string): MountRoutes {
    const mount: Mount = { Server, protection: null, group: undefined! }
    mount.group = this.#routes.group(prefix || '/', [
      { methods: ['POST'], handler: (ctx) => this.#post(ctx, mount) },
      { methods: OTHER_METHODS, handler: methodNotAllowed },
    ])
    this.#mounts.push(mount)
    return Object.assign(mount.group, {
      protect: (options: ProtectionOptions) => this.#protect(mount, options),
    })
  }

  /** Sets the OAuth server whose access tokens protected mounts accept. */
  useResourceServer(server: ResourceServer): void {
    this.#resourceServer = server
    server.serve(() => this.#protections.map(({ url }) => url))
  }

  /** Adds the routes of the metadata documents (RFC 9728, section 3.1). */
  addMetadataRoutes(): void {
    const entries = [
      { methods: ['GET', 'HEAD'], handler: (ctx: HttpContext) => this.#showMetadata(ctx) },
      { methods: ['OPTIONS'], handler: preflight },
    ]
    this.#routes.group(WELL_KNOWN, entries)
    this.#routes.group(`${WELL_KNOWN}/*`, entries)
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
   * @throws {InvalidArgumentsException} for an invalid definition, or a protected mount without a fixed URL
   */
  async prepare(): Promise<void> {
    await Promise.all(this.#mounts.map(({ Server }) => this.definition(Server)))
    for (const { path } of this.#protections) {
      if (/[:*]/.test(path)) {
        throw new InvalidArgumentsException(
          `The MCP mount "${path}" cannot be protected: access tokens are bound to one URL`
        )
      }
    }
  }

  /** Whether protected mounts name an authorization server whose issuer is not configured. */
  get hasUnknownIssuer(): boolean {
    return this.#protections.length > 0 && this.#resourceServer?.issuer === null
  }

  get #protections(): Protection[] {
    return this.#mounts.flatMap(({ protection }) => protection ?? [])
  }

  async #post(ctx: HttpContext, { Server, protection }: Mount): Promise<void> {
    return post(ctx, {
      definition: await this.definition(Server),
      config: this.config,
      protection,
      resourceServer: this.#resourceServer,
      announce: this.announce,
    })
  }

  #protect(mount: Mount, options: ProtectionOptions): any {
    if (this.config.url === null) {
      throw new InvalidArgumentsException(
        'McpConfig: "url" is required to protect an MCP mount: access tokens are bound to it'
      )
    }
    mount.protection = new Protection(options, this.config.url, () => patternOf(mount.group))
    return mount.group
  }

  /** The document of one mount; without a path that of the only mount. */
  async #showMetadata(ctx: HttpContext): Promise<void> {
    allowEveryOrigin(ctx)
    const path = ctx.request.url().slice(WELL_KNOWN.length).replace(/\/$/, '')
    const mounts = this.#mounts.filter(({ protection }) => protection)
    const mount =
      mounts.find(
        ({ protection }) => new URL(protection!.url).pathname.replace(/\/$/, '') === path
      ) ?? (path === '' && mounts.length === 1 ? mounts[0] : undefined)
    if (!mount || !this.#resourceServer) {
      return ctx.response.status(404).send('')
    }
    const definition = await this.definition(mount.Server)
    ctx.response.header('cache-control', 'public, max-age=300').json(
      resourceMetadata(mount.protection!, {
        name: definition.info.title ?? definition.info.name,
        scopes: [...new Set([...mount.protection!.scopes, ...definition.scopes])],
        issuer: this.#resourceServer.issuer ?? new URL(this.config.url!).origin,
      })
    )
  }

  /** Read from package.json: `app.version` of AdonisJS 7 is never set. */
  async #appVersion(): Promise<string> {
    const text = await readFile(this.#app.makePath('package.json'), 'utf8')
    return JSON.parse(text).version ?? '0.0.0'
  }
}

function preflight(ctx: HttpContext): void {
  allowEveryOrigin(ctx)
  ctx.response.status(204).send('')
}
