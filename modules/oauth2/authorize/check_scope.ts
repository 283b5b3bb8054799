import { AccessDenied } from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'
import type { Check } from '#oauth2/authorize/check'
import { splitScopes } from '#oauth2/scopes'

/**
 * The scopes must be known and allowed to the client (RFC 6749 §3.3). Who
 * approves by a token of their own cannot hand out more than it carries.
 */
export const checkScope: Check = (request, { catalogue }) => {
  const requested = splitScopes(request.parameters.get('scope') ?? '')
  request.scopes = catalogue.resolve(requested, request.client)
  if (!request.context.canAll(...(request.scopes as GrantedScope[]))) {
    throw new AccessDenied('The approving token carries fewer scopes than were requested.')
  }
}
