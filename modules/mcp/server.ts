import type { HttpContext, RouteGroup } from '@adonisjs/core/http'
import { RuntimeException } from '@adonisjs/core/exceptions'

import type { McpManager } from '#mcp/manager'
import type {
  CacheScope,
  Icon,
  PromptClass,
  ResourceClass,
  ServerClass,
  ToolClass,
} from '#mcp/types'

/**
 * An MCP server: a name, and the classes it offers. Nothing of it lives longer than a request, so
 * it is never instantiated.
 *
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
  static description?: string

  /** What a model should know about using this server. */
  static instructions?: string

  static title?: string

  /** The application's version, unless the class says otherwise. */
  static version?: string
  static websiteUrl?: string
  static icons?: Icon[]

  /** Items on one page of a list; `config/mcp.ts` has the default. */
  static pageSize?: number

  /** How long a client may keep a list, in milliseconds: lists change when the app is deployed. */
  static ttlMs = 300_000

  /** Set "private" where the names of tools are nobody else's business. */
  static cacheScope: CacheScope = 'public'

  /** Whether handlers send log messages to the client (`request.log`). */
  static logging = false

  /** The application's manager, set by McpProvider. */
  static manager?: McpManager

  /** Null leaves the capability out. */
  static tools(): ToolClass[] | null {
    return null
  }

  /** Null leaves the capability out. */
  static prompts(): PromptClass[] | null {
    return null
  }

  /** Resources and resource templates; null leaves the capability out. */
  static resources(): ResourceClass[] | null {
    return null
  }

  /**
   * Whom a request comes from; null for anybody. State that a handler gives a client
   * (`Response.inputRequired`) comes back from the same caller only. The default is the user and
   * the OAuth client that the route's middleware authenticated.
   */
  static caller(ctx: HttpContext): string | null {
    const context = ctx.auth.context
    return context && JSON.stringify([context.user?.id ?? null, context.clientId])
  }

  /**
   * Mounts the server: POST at the prefix speaks MCP, every other method is answered 405. An empty
   * prefix mounts at the root. The routes run the server's middleware and the group's own, and not
   * the router's: no body parser, no session and no CSRF judgement, and so no cookie counts here.
   *
   * @throws RuntimeException when McpProvider is not registered
   */
  static router(this: ServerClass, prefix: string): RouteGroup {
    if (!this.manager) {
      throw new RuntimeException(
        'Register McpProvider ("#providers/mcp_provider") in adonisrc.ts before mounting an MCP server'
      )
    }
    return this.manager.mount(this, prefix)
  }
}
