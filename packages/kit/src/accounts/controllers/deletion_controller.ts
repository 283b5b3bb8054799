import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { deleteAccount } from '#accounts/ending'
import { ProofController, proofValidator } from '#auth/account_proof'
import { answerDone } from '#http/pages'

export default class DeletionController extends ProofController {
  async edit(ctx: HttpContext) {
    const ways = await this.proof.waysOf(await currentUser(ctx))
    return ctx.view.render('pages/account/delete', { ways })
  }

  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    await this.proof.demand(ctx, user, await ctx.request.validateUsing(proofValidator))
    await deleteAccount(ctx, user)

    return answerDone(ctx, null, { path: '/', words: 'pages.account.delete.done' })
  }
}
