import type { Check } from '#oauth2/authorize/check'
import { assertMayUse } from '#oauth2/grants/grant'

/** The client must be allowed to redeem codes. */
export const checkGrantType: Check = ({ client }, { config }) => {
  assertMayUse(config, client, 'authorization_code')
}
