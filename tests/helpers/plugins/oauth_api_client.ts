import { ApiRequest } from '@japa/api-client'
import app from '@adonisjs/core/services/app'
import type { PluginFn } from '@japa/runner/types'

import { AuthorizationServer } from '#oauth2/authorization_server'

declare module '@japa/api-client' {
  interface ApiRequest {
    /**
     * Sends the request with an OAuth access token of the user.
     *
     * @param options.scopes default: none
     * @param options.resource the resource that the token is bound to; default: none
     */
    withOAuthToken(user: object, options?: { scopes?: string[]; resource?: string }): this
  }
}

/** `client.get('/x').withOAuthToken(user, { scopes, resource })` */
export const oauthApiClient: PluginFn = () => {
  ApiRequest.macro('withOAuthToken', function (this: ApiRequest, user, options = {}) {
    return this.setup(async (request) => {
      const manager = await app.container.make('auth_manager')
      const server = await app.container.make(AuthorizationServer)
      const users = manager.usersOf()
      const prepared = await server.tokenIssuer.prepare(
        {
          user: { userId: users.identify(user), provider: users.name },
          clientId: null,
          scopes: options.scopes ?? [],
          resource: options.resource ?? null,
        },
        null
      )
      await server.tokens.insertTokens(prepared.records)
      request.bearerToken(prepared.accessToken)
    })
  })
}
