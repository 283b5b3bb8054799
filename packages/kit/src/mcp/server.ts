import type { HttpContext } from '@adonisjs/core/http'

import { assertRuntime } from '#config/checks'
import { authenticatedCaller, type Caller } from '#mcp/caller'
import type { Consistent } from '#mcp/inference'
import type { McpManager } from '#mcp/manager'
import type { CacheScope, Icon, PromptClass, ResourceClass, ToolClass } from '#mcp/types'

export type ServerClass = Pick<typeof Server, keyof typeof Server>

/**
 * Mounts a server like `Server.router`, and imports its class when it is first needed: a server
 * process does at its start, commands such as "node ace codegen" never do. So these work while the
 * table of a model that a tool uses does not exist yet.
 * @throws {RuntimeException} when McpProvider is not registered
 * @example
 * mountServer('/mcp', () => import('#mcp/servers/blog_server'))
 */
export function mountServer<Mounted extends ServerClass>(
  prefix: string,
  load: () => Promise<{ default: Mounted & Consistent<Mounted> }>
) {
  const { manager } = Server
  const fault =
    'Register McpProvider ("adonis-auth-kit/providers/mcp_provider") in adonisrc.ts before mounting an MCP server'
  assertRuntime(manager, fault)
  return manager.mount(() => load().then((module) => module.default), prefix)
}

/**
 * An MCP server: its name, and the tools, prompts and resources it offers. All members are static;
 * the class is never instantiated.
 * @example
 * class BlogServer extends Server {
 *   static name = 'blog'
 *   static tools = () => [SearchPosts]
 * }
 *
 * BlogServer.router('/mcp').use(middleware.auth({ guards: ['oauth'] }))
 */
export abstract class Server {
  static name: string
  static description?: string | null
  /** Tells the model how to use this server. */
  static instructions?: string | null
  static title?: string
  /** Default: the `version` of the application's package.json. */
  static version?: string
  static websiteUrl?: string
  static icons?: Icon[]
  /** Items on one page of a list. Default: `pageSize` of `config/mcp.ts`. */
  static pageSize?: number
  /** How long a client may cache a list, in milliseconds. Lists change only with a deployment. */
  static ttlMs = 300_000
  /** Set "private" to keep shared caches from storing the lists. */
  static cacheScope: CacheScope = 'public'
  /** Whether handlers can send log messages to the client (`request.log`). */
  static logging = false
  static manager?: McpManager

  /** Null, here and below: the server has no such capability. */
  static tools(): ToolClass[] | null {
    return null
  }

  static prompts(): PromptClass[] | null {
    return null
  }

  static resources(): ResourceClass[] | null {
    return null
  }

  /**
   * Who sends a request; null for an anonymous caller. Default: the user and the OAuth client that
   * the route's middleware authenticated. Override it in an app with another authentication.
   */
  static caller(ctx: HttpContext): Caller | null {
    return authenticatedCaller(ctx)
  }

  /**
   * Mounts the server: POST at the prefix is the MCP endpoint, every other method gets 405. An empty
   * prefix mounts at the root. The routes run the middleware of the HTTP server and of their group,
   * but not that of the router: there is no body parser, no session and no CSRF check, so cookies
   * never authenticate a request.
   * @throws {RuntimeException} when McpProvider is not registered
   */
  static router<Mounted extends ServerClass>(this: Mounted & Consistent<Mounted>, prefix: string) {
    return mountServer<Mounted>(prefix, async () => ({ default: this }))
  }
}
