import type { HttpContext } from '@adonisjs/core/http'

import { answerConfirmed } from '#auth/login_answers'
import { currentUser } from '#auth/protection'
import { ProofController, proofValidator } from '#auth/account_proof'

/** The proof that `middleware.confirmed()` asks for. */
export default class ConfirmationController extends ProofController {
  async create(ctx: HttpContext) {
    const ways = await this.proof.waysOf(await currentUser(ctx))
    return ctx.view.render('pages/auth/confirm', { ways })
  }

  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    await this.proof.demand(ctx, user, await ctx.request.validateUsing(proofValidator))
    return answerConfirmed(ctx)
  }
}
