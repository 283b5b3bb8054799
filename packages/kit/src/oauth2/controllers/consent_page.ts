import type { HttpContext } from '@adonisjs/core/http'

import type { PendingAuthorization } from '#oauth2/pending/pending_authorization'
import type { RefusedDecision } from '#oauth2/pending/read_decision'
import { allowFormTarget } from '#http/form_target'

/**
 * The consent page that is built in. Its form leads to the client, through a redirect.
 *
 * @param refused why the decision that was sent is refused, and the scopes that were ticked
 */
export async function renderConsent(
  ctx: HttpContext,
  pending: PendingAuthorization,
  refused: RefusedDecision | null = null
): Promise<string> {
  const { request } = pending
  allowFormTarget(ctx, request.redirectTarget!)
  const page = pending.selectsAccount && !pending.requiresLogin ? 'select_account' : 'consent'
  return ctx.view.render(`pages/oauth/${page}`, {
    authorization: pending.describe(),
    action: `/oauth/authorizations/${pending.handle}`,
    account: request.context.user,
    question: await pending.choices(),
    canSwitch: 'logout' in ctx.authenticator.use(request.guardName),
    problem: refused?.problem ?? null,
    ticked: refused?.ticked ?? null,
  })
}
