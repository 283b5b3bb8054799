import { RuntimeException } from '@adonisjs/core/exceptions'
import { ApiRequest } from '@japa/api-client'
import type { PluginFn } from '@japa/runner/types'

import type { UserOf } from '#auth/guard_types'
import type { GrantedScope } from '#auth/scopes'
import type { UserId } from '#auth/user_providers/user_provider'
import { Server } from '#mcp/server'

declare module '@japa/api-client' {
  interface ApiRequest {
    /** Sends an OAuth access token for the protected MCP mount at the path. @param scopes default: those of the mount */
    withMcpToken(user: UserOf<'oauth'> | UserId, scopes?: readonly GrantedScope[]): this
  }
}

/** `client.post('/mcp').withMcpToken(user, scopes)` */
export const mcpApiClient: PluginFn = () => {
  ApiRequest.macro('withMcpToken', function (this: ApiRequest, user, scopes) {
    const { endpoint } = this.config
    const mount = Server.manager?.mounts.find(({ pattern }) => pattern === endpoint)
    if (!mount?.protection) {
      throw new RuntimeException(`There is no protected MCP mount at "${endpoint}"`)
    }
    const { url, scopes: own } = mount.protection
    return this.withOAuthToken(user, { scopes: scopes ?? [...own], resource: url })
  })
}
