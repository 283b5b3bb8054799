import type { Check } from '#oauth2/authorize/check'
import { splitScopes } from '#oauth2/scopes'

/** The scopes must be known and allowed to the client (RFC 6749 §3.3). */
export const checkScope: Check = (request, { catalogue }) => {
  const requested = splitScopes(request.parameters.get('scope') ?? '')
  request.scopes = catalogue.resolve(requested, request.client)
}
