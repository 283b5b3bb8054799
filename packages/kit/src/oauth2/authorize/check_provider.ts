import { UnauthorizedClient } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A client that acts for the users of one user provider gets no code for those of another. */
export const checkProvider: Check = ({ client, user }) => {
  if (client.provider !== null && client.provider !== user.provider) {
    throw new UnauthorizedClient('The client acts for users of another user provider.')
  }
}
