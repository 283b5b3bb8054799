import type { Check } from '#oauth2/authorize/check'
import { checkPresence } from '#oauth2/authorize/check_presence'
import { checkPrompt } from '#oauth2/authorize/check_prompt'

/**
 * The metadata document of a client is fetched for a person who is signed in. Otherwise
 * anybody could use up the fetches of a minute, and make this server knock where they like.
 */
export const checkFetch: Check = async (request, services) => {
  if (await services.clients.needsFetch(request.parameters.require('client_id'))) {
    await checkPrompt(request, services)
    await checkPresence(request, services)
  }
}
