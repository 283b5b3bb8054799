import { InvalidClient } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** The client must be registered and not revoked. */
export const checkClient: Check = async (request, { clients }) => {
  const { ctx, parameters } = request
  const client = await clients.findForAuthorization(parameters.require('client_id'), ctx)
  if (!client) {
    throw new InvalidClient('The client_id is that of no active client.')
  }
  request.client = client
}
