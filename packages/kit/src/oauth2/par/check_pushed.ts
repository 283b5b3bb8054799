import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** A client that has to push its requests makes none by the browser alone (RFC 9126 §5, §6). */
export const checkPushed: Check = ({ client, requestUri }, { config }) => {
  if (requestUri === null && (config.pushedRequests.required || client.requirePushed)) {
    throw new InvalidRequest('The client has to push its authorization requests.')
  }
}
