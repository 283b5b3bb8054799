import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A browser must have somewhere to go. */
export const checkRedirectTarget: Check = ({ redirectTarget }) => {
  if (redirectTarget === null) {
    throw new InvalidRequest('A redirect_uri is required.')
  }
}
