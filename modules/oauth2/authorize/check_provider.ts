import { UnauthorizedClient } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A client that acts for one user provider's users gets no code for another's (spec 2, Multiple user providers). */
export const checkProvider: Check = ({ asksForCode, client, user }) => {
  if (asksForCode && client.provider !== null && client.provider !== user.provider) {
    throw new UnauthorizedClient('The client acts for users of another user provider.')
  }
}
