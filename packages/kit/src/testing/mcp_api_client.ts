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
    const { url, scopes: own } = protectionOf(this.config.endpoint)
    return this.withOAuthToken(user, { scopes: scopes ?? [...own], resource: url })
  })
}

function protectionOf(path: string) {
  const mount = Server.manager?.mounts.find(({ pattern }) => pattern === path)
  if (!mount?.protection) {
    throw new RuntimeException(`There is no protected MCP mount at "${path}"`)
  }
  return mount.protection
}
