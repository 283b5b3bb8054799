import { InvalidClient } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** The client must be registered and not revoked. */
export const checkClient: Check = async (request, { clients }) => {
  const client = await clients.find(request.parameters.require('client_id'))
  if (!client) {
    throw new InvalidClient('The client is unknown or revoked.')
  }
  request.client = client
}
