import { InvalidRequest } from '#auth/errors'
import type { Check } from '#oauth2/authorize/checks'

/** RFC 7638: SHA-256 in base64url. */
const THUMBPRINT = /^[A-Za-z0-9_-]{43}$/

/**
 * The key that the code is bound to: named by `dpop_jkt` (RFC 9449 §10), or by the
 * proof with which the request was pushed (§10.1).
 */
export const checkDpopJkt: Check = async (request, { dpop }) => {
  if (!dpop.isEnabled) {
    return
  }
  const named = request.parameters.get('dpop_jkt')
  if (named !== null && !THUMBPRINT.test(named)) {
    throw new InvalidRequest('The dpop_jkt is malformed.')
  }
  const proven = request.isPush ? await dpop.keyOf(request.ctx) : null
  if (named !== null && proven !== null && named !== proven) {
    throw new InvalidRequest('The dpop_jkt is not the key of the DPoP proof.')
  }
  request.dpopJkt = named ?? proven
}
