import type { Check } from '#oauth2/authorize/check'
import { resolveResource } from '#oauth2/resource_indicators'

/** The resource must be served here (RFC 8707 §2). */
export const checkResource: Check = (request, { config }) => {
  request.resource = resolveResource(request.parameters.get('resource'), config.served)
}
