import { UnsupportedResponseType } from '#auth/errors'
import type { Check } from '#oauth2/authorize/check'

/** Only codes are handed out (RFC 6749 §3.1.1). The POST that asks for one need not say so. */
export const checkResponseType: Check = ({ parameters, asksForCode }) => {
  const responseType = asksForCode
    ? (parameters.get('response_type') ?? 'code')
    : parameters.require('response_type')
  if (responseType !== 'code') {
    throw new UnsupportedResponseType('The response_type must be code.')
  }
}
