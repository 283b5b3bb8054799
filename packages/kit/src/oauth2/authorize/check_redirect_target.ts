import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A browser must have somewhere to go. */
export const checkRedirectTarget: Check = ({ redirectTarget }) => {
  if (redirectTarget === null) {
    throw new InvalidRequest('The parameter redirect_uri is missing.', {
      reason: 'no redirect_uri, and the client has none or several',
    })
  }
}
