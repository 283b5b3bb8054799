import type { Check } from '#oauth2/authorize/check'
import { splitScopes } from '#oauth2/scopes'

/**
 * The scopes must be known and allowed to the client (RFC 6749 §3.3). A request for an endpoint that
 * names none asks for those of the endpoint.
 */
export const checkScope: Check = async (request, { catalogue, config }) => {
  const { parameters, client } = request
  const ofResource = await config.served.scopesOf(parameters.get('resource'))
  const requested = splitScopes(parameters.get('scope') ?? '')
  request.scopes = catalogue.resolve(requested, client, ofResource)
}
