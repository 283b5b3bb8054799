import type { Check } from '#oauth2/authorize/check'
import { readChallenge } from '#oauth2/pkce'

/** The code must be bound to who asks for it (RFC 7636 §4.4.1); public clients have no other proof. */
export const checkPkce: Check = (request, { config }) => {
  request.challenge = readChallenge(
    request.parameters.get('code_challenge'),
    request.parameters.get('code_challenge_method'),
    {
      methods: config.pkceMethods,
      required: config.requirePkce || !request.client.confidential,
    }
  )
}
