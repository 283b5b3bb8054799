import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, authenticateConfidential } from '#oauth2/grants/grant'
import { splitScopes } from '#oauth2/scopes'
import { resolveResource } from '#oauth2/served_resources'

/**
 * A confidential client acts for itself (RFC 6749 §4.4). The token has no user,
 * and no refresh token goes with it (§4.4.3).
 */
export class ClientCredentialsGrant implements Grant {
  readonly identifier = 'client_credentials'

  constructor(protected server: AuthorizationServer) {}

  async handle(request: ClientRequest) {
    const { config, catalogue, dpop, issuance } = this.server
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const scopes = catalogue.resolve(splitScopes(request.parameters.get('scope') ?? ''), client)
    const resource = resolveResource(request.parameters.get('resource'), config.served)
    const binding = await dpop.bind(request, client)
    const granted = { user: null, clientId: client.id, scopes, resource, binding }
    return issuance.issue(this.identifier, granted, false)
  }
}
