import { readFile } from 'node:fs/promises'

import type { HttpContext, Router } from '@adonisjs/core/http'
import type { ApplicationService } from '@adonisjs/core/types'
import type { NextFn } from '@adonisjs/core/types/http'

import { boundResource } from '#auth/challenge'
import { assertArgument } from '#config/checks'
import type { CountCall } from '#mcp/caller'
import type { ResolvedMcpConfig } from '#mcp/define_config'
import { ServerDefinition } from '#mcp/definition/server_definition'
import type { Announce } from '#mcp/protocol/call'
import { bareRoutes, Mount } from '#mcp/mount'
import { admit, type Endpoint, post } from '#mcp/http/endpoint'
import { METADATA_CORS, mountCors } from '#mcp/http/origin_check'
import { knownClients } from '#mcp/known_clients'
import type { Protection, ProtectionOptions, ResourceServer } from '#mcp/protection'
import { Subscriptions } from '#mcp/subscriptions/subscriptions'
import type { Tasks } from '#mcp/tasks/tasks'
import type { ServerClass } from '#mcp/server'
import type { MountRoutes } from '#mcp/types'
import { remembered } from '#process/remembered'
import { assertFound } from '#http/errors'
import { clientEndpoint, combineMarks, refusesMethods } from '#http/route_marks'

/** The endpoint supports POST only: 405 for every other method (2025-11-25 and 2026-07-28, "Transports"). */
const OTHER_METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** The MCP servers of the application: where they are mounted, and what they offer. */
export class McpManager {
  readonly mounts: Mount[] = []
  #resourceServer: ResourceServer | null = null
  /** Set by McpProvider; without it, no call is counted. */
  count: CountCall = async () => {}

  readonly subscriptions = new Subscriptions()

  /** Set by McpProvider; without it, no call becomes a task. */
  tasks: Tasks | null = null

  constructor(
    protected app: ApplicationService,
    protected router: Router,
    readonly config: ResolvedMcpConfig,
    readonly announce: Announce = () => {}
  ) {}

  async findMount(name?: string) {
    for (const mount of this.mounts) {
      const { pattern, protection } = mount
      const definition = await this.#definitionOf(mount)
      if (name === undefined || definition.info.name === name) {
        return { definition, pattern, protection }
      }
    }
    return null
  }

  mount(load: () => Promise<ServerClass>, prefix: string): MountRoutes {
    const mount = new Mount(load, this.config.url, () => this.#resourceServer)
    mount.group = bareRoutes(this.app, this.router, prefix || '/', [
      { methods: ['POST'], handler: async (ctx) => post(ctx, await this.#endpoint(mount, ctx)) },
      {
        methods: OTHER_METHODS,
        mark: refusesMethods,
        handler: ({ response }) =>
          response.status(405).header('allow', 'POST').header('cache-control', 'no-store').send(''),
      },
    ])
    const challenge = boundResource(() => mount.protection?.resource ?? null)
    mount.group.use([
      combineMarks(mountCors(this.config), clientEndpoint, challenge),
      (ctx, next) => this.#admit(ctx, mount, next),
    ])
    this.mounts.push(mount)
    const protect = (options: ProtectionOptions): any => {
      mount.protect(options)
      return mount.group
    }
    return Object.assign(mount.group, { protect })
  }

  /** Protected mounts accept its access tokens, and have metadata documents (RFC 9728, section 3.1). */
  useResourceServer(resourceServer: ResourceServer): void {
    const { server } = resourceServer
    this.#resourceServer = resourceServer
    const urls = () => this.#protections.map(({ url }) => url)
    server.serve(urls, (url) => this.#scopesOf(url))
    const handler = (ctx: HttpContext) => this.#showMetadata(ctx)
    for (const pattern of [...(server.describesRoot ? [] : [WELL_KNOWN]), `${WELL_KNOWN}/*`]) {
      const entries = [{ methods: ['GET', 'HEAD'], handler }]
      bareRoutes(this.app, this.router, pattern, entries).use(METADATA_CORS)
    }
  }

  /** The version is that of package.json: `app.version` of AdonisJS 7 is never set. */
  readonly definition = remembered(async (Server: ServerClass) => {
    const text = await readFile(this.app.makePath('package.json'), 'utf8')
    const { version = '0.0.0' } = JSON.parse(text)
    return ServerDefinition.build(Server, { version, pageSize: this.config.pageSize })
  })

  /**
   * Builds the definition of every mounted server, so that mistakes show at start.
   * @throws {InvalidArgumentsException} for an invalid definition, or a protected mount without a fixed URL
   */
  async prepare(): Promise<void> {
    await Promise.all(this.mounts.map(async ({ server }) => this.definition(await server)))
    for (const { path } of this.#protections) {
      const fault = `The MCP mount "${path}" cannot be protected: access tokens are bound to one URL`
      assertArgument(!/[:*]/.test(path), fault)
    }
  }

  get knownClients(): ReturnType<typeof knownClients> | null {
    return this.#resourceServer && this.#protections.length > 0
      ? knownClients(this.#resourceServer.server.admission)
      : null
  }

  get hasUnknownIssuer(): boolean {
    return this.#protections.length > 0 && this.#resourceServer?.server.issuer === null
  }

  get #protections(): Protection[] {
    return this.mounts.flatMap(({ protection }) => protection ?? [])
  }

  /** The other methods are answered 405 whoever calls. */
  async #admit(ctx: HttpContext, mount: Mount, next: NextFn): Promise<void> {
    mount.freeze()
    const isCall = ctx.request.method() === 'POST'
    if (!isCall || (await admit(ctx, await this.#endpoint(mount, ctx)))) {
      return next()
    }
  }

  async #endpoint(mount: Mount, ctx: HttpContext): Promise<Endpoint> {
    const { isProtected } = mount
    const definition = await this.#definitionOf(mount)
    const protection = mount.protection?.seenAt(ctx.request.header('host')) ?? null
    const { config, announce, count, tasks, subscriptions } = this
    const shared = { config, announce, count, tasks, subscriptions }
    return { ...shared, definition, protection, isProtected, resourceServer: this.#resourceServer }
  }

  /** The document of one mount; without a path that of the only mount. */
  async #showMetadata(ctx: HttpContext): Promise<void> {
    const { request, response } = ctx
    const withoutSlash = (path: string) => path.replace(/\/$/, '')
    const path = withoutSlash(request.url().slice(WELL_KNOWN.length))
    const mounts = this.mounts.filter(({ protection }) => protection)
    const pathOf = ({ protection }: Mount) => withoutSlash(new URL(protection!.url).pathname)
    const only = path === '' && mounts.length === 1 ? mounts[0] : undefined
    const mount = mounts.find((one) => pathOf(one) === path) ?? only
    assertFound(mount !== undefined && this.#resourceServer !== null, ctx)
    const { info, scopes } = await this.#definitionOf(mount)
    const protection = mount.protection!.seenAt(request.header('host'))
    protection.offer(scopes)
    const metadata = protection.metadata(info.title ?? info.name, this.#resourceServer.server)
    response.header('cache-control', 'public, max-age=300').json(metadata)
  }

  /** The definition of a mount's server, whose scopes its challenges name. */
  async #definitionOf(mount: Mount): Promise<ServerDefinition> {
    const definition = await this.definition(await mount.server)
    mount.protection?.offer(definition.scopes)
    return definition
  }

  /** The scopes of an authorization request for a mount that names none. */
  async #scopesOf(url: string): Promise<readonly string[]> {
    const mount = this.mounts.find(({ protection }) => protection?.url === url)
    await (mount && this.#definitionOf(mount))
    return mount?.protection?.resource.scopes ?? []
  }
}
