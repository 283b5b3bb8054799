import { UnauthorizedClient } from '#auth/errors'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, type GrantServices, assertMayUse } from '#oauth2/grants/grant'
import { resolveResource } from '#oauth2/resource_indicators'
import { splitScopes } from '#oauth2/scopes'

/**
 * A confidential client acts for itself (RFC 6749 §4.4). The token has no user,
 * and no refresh token goes with it (§4.4.3).
 */
export class ClientCredentialsGrant implements Grant {
  readonly identifier = 'client_credentials'

  constructor(protected services: GrantServices) {}

  async handle(request: ClientRequest) {
    const { config, authentication, catalogue, dpop, issuance } = this.services
    const client = await authentication.authenticate(request, authentication.read(request))
    if (!client.confidential) {
      throw new UnauthorizedClient('A public client cannot use this grant.')
    }
    assertMayUse(config, client, this.identifier)

    const scopes = catalogue.resolve(splitScopes(request.parameters.get('scope') ?? ''), client)
    const resource = resolveResource(request.parameters.get('resource'), config.served)

    const binding = await dpop.bind(request, client)

    return issuance.issue(
      this.identifier,
      { user: null, clientId: client.id, scopes, resource, binding },
      false
    )
  }
}
