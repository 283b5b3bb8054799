import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { deleteAccount } from '#accounts/ending'
import { AccountProof } from '#auth/account_proof'
import { wantsPage } from '#http/wants_page'
import { proofValidator } from '#auth/proof_validators'

@inject()
export default class DeletionController {
  constructor(protected proof: AccountProof) {}

  async edit(ctx: HttpContext) {
    const ways = await this.proof.waysOf(await currentUser(ctx))
    return ctx.view.render('pages/account/delete', { ways })
  }

  /** Deletes the account of whoever proves that it is theirs, and all that it may still open. */
  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    await this.proof.demand(ctx, user, await ctx.request.validateUsing(proofValidator))
    await deleteAccount(ctx, user)

    if (!wantsPage(ctx)) {
      return ctx.response.noContent()
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.delete.done'))
    return ctx.response.redirect().toPath('/')
  }
}
