import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'
import { PROMPTS, type Prompt } from '#oauth2/authorize/authorization_request'

/**
 * What the person has to be asked, or must not be (OpenID Connect Core 1.0
 * §3.1.2.1). Values that are not known here are ignored.
 */
export const checkPrompt: Check = (request) => {
  const values = (request.parameters.get('prompt') ?? '').split(' ').filter(Boolean)
  if (values.includes('none') && values.length > 1) {
    throw new InvalidRequest('The prompt none must stand alone.')
  }
  request.prompt = new Set(PROMPTS.filter((known: Prompt) => values.includes(known)))
}
