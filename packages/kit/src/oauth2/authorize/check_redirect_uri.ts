import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'
import { isRegistered } from '#oauth2/clients/redirect_uri'

/**
 * The redirect URI must be registered (RFC 6749 §3.1.2.3). Where one need not
 * be sent, a browser goes to the client's only one.
 */
export const checkRedirectUri: Check = (request, { config }) => {
  const { client } = request
  const uri = request.parameters.get('redirect_uri')

  if (uri === null) {
    if (config.requireRedirectUri) {
      throw new InvalidRequest('The parameter redirect_uri is missing.')
    }
    const [only = null, ...others] = client.redirectUris
    request.redirectTarget = others.length === 0 ? only : null
    return
  }
  if (!isRegistered(client, uri)) {
    throw new InvalidRequest('The redirect_uri is not registered for this client.')
  }
  request.redirectUri = uri
  request.redirectTarget = uri
}
