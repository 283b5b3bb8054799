import { AccessDenied } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** The user must have said yes. */
export const checkApproval: Check = (request, { announce }) => {
  if (request.approved === true) {
    return
  }
  if (request.approved === false) {
    announce('oauth2:consent_denied', {
      clientId: request.client.id,
      userId: request.user.userId,
      scopes: request.scopes,
      resource: request.resource,
    })
    throw new AccessDenied('The user denied the request.')
  }
  throw new AccessDenied('The parameter approved is not true.')
}
