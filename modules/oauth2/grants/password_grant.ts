import type { AuthManager } from '#auth/manager'
import { InvalidGrant } from '#auth/errors'
import { verifyLogin } from '#auth/password_login'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { tokenEvent } from '#oauth2/events'
import { type Grant, type GrantServices, assertMayUse, mayUse } from '#oauth2/grants/grant'
import { resolveResource } from '#oauth2/resources'
import { splitScopes } from '#oauth2/scopes'
import { toResponse } from '#oauth2/tokens/token_issuer'

/**
 * The legacy password grant (RFC 6749 §4.3), off by default: OAuth 2.1 has it
 * no more. A client is welcome and not required; a token that was issued to
 * one is bound to it.
 */
export class PasswordGrant implements Grant {
  readonly identifier = 'password'

  constructor(
    protected services: GrantServices,
    protected manager: AuthManager
  ) {}

  async handle(request: ClientRequest) {
    const { config, authentication, catalogue, issuer, tokens, announce } = this.services
    const { parameters } = request

    const credentials = authentication.read(request)
    const anonymous = credentials.id === null && credentials.secret === null
    const client = anonymous ? null : await authentication.authenticate(request, credentials)
    if (client) {
      assertMayUse(config, client, this.identifier)
    }

    const username = parameters.require('username')
    const password = parameters.require('password')
    const scopes = catalogue.resolve(splitScopes(parameters.get('scope') ?? ''), client)
    const resource = resolveResource(parameters.get('resource'), config.served)

    const users = client?.provider ? this.manager.users(client.provider) : this.manager.usersOf()
    const user = await verifyLogin(
      this.manager,
      users,
      { username, [users.usernameKey]: username, [users.passwordKey]: password },
      request.ctx
    )
    if (!user) {
      throw new InvalidGrant('The username or the password is wrong.', {
        reason: 'user unknown or inactive, or password wrong',
      })
    }

    const refreshable = client
      ? mayUse(config, client, 'refresh_token')
      : config.grantTypes.includes('refresh_token')
    const prepared = await issuer.prepare(
      {
        user: { userId: users.identify(user), provider: users.name },
        clientId: client?.id ?? null,
        scopes,
        resource,
      },
      refreshable ? { familyId: null } : null
    )
    await tokens.insertTokens(prepared.records)
    announce('oauth2:token_issued', { grantType: this.identifier, ...tokenEvent(prepared) })
    return toResponse(prepared)
  }
}
