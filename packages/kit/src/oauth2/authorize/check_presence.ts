import { LoginRequired, Unauthenticated } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'
import { checkUser } from '#oauth2/authorize/check_user'

/** A person must be signed in; a client that wants nobody to be asked is told so. */
export const checkPresence: Check = async (request, services) => {
  try {
    await checkUser(request, services)
  } catch (error) {
    if (request.prompt.has('none') && error instanceof Unauthenticated) {
      throw new LoginRequired()
    }
    throw error
  }
}
