import { AccessDenied } from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'
import type { Check } from '#oauth2/authorize/check'

/** Who approves by a token of their own cannot hand out more than it carries. */
export const checkApprover: Check = ({ context, scopes }) => {
  if (!context.canAll(...(scopes as GrantedScope[]))) {
    throw new AccessDenied('The approving token carries fewer scopes than were requested.')
  }
}
