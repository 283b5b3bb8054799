import { ServerPart } from '#oauth2/server_part'
import type { ClientRequest } from '#oauth2/clients/client_authentication'
import { type Grant, authenticateConfidential, requestedAccess } from '#oauth2/grants/grant'

/** A confidential client acts for itself (RFC 6749 §4.4); no refresh token goes with the token (§4.4.3). */
export class ClientCredentialsGrant extends ServerPart implements Grant {
  readonly identifier = 'client_credentials'

  async handle(request: ClientRequest) {
    const { dpop, issuance } = this.server
    const client = await authenticateConfidential(this.server, request, this.identifier)
    const access = requestedAccess(this.server, request, client)
    const binding = await dpop.bind(request, client)
    const granted = { user: null, clientId: client.id, ...access, binding }
    return issuance.issue(this.identifier, granted, false)
  }
}
