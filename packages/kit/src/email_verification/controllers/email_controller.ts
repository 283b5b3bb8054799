import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { EmailVerification } from '#email_verification/email_verification'
import { AccountProof } from '#auth/account_proof'
import { answerDone, pathTo, wantsPage } from '#http/pages'
import { assertField } from '#http/words'
import { emailChangeValidator } from '#email_verification/validators'

const PAGE = 'account.email.email.edit'

/** The e-mail address of the signed-in person. A new one counts once it is verified. */
@inject()
export default class EmailController {
  constructor(
    protected verification: EmailVerification,
    protected proof: AccountProof
  ) {}

  async edit(ctx: HttpContext) {
    const user = await currentUser(ctx)
    if (!wantsPage(ctx)) {
      return ctx.response.ok(this.verification.describe(user))
    }
    const address = this.verification.stateOf(user)
    const ways = await this.proof.waysOf(user)
    return ctx.view.render('pages/account/email', { address, ways })
  }

  async update(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const fields = await ctx.request.validateUsing(emailChangeValidator)
    const { email, current_password: password, ...others } = fields
    await this.proof.demand(ctx, user, { ...others, password }, 'current_password')
    assertField(email !== user.email, ctx, 'email', 'unchanged')
    await this.verification.propose(user, email, ctx)

    const next = { path: pathTo(PAGE), words: 'pages.account.email.done', values: { email } }
    return answerDone(ctx, this.verification.describe(user), next)
  }

  async cancel(ctx: HttpContext) {
    const user = await currentUser(ctx)
    await this.verification.forgetProposal(user)
    const next = { path: pathTo(PAGE), words: 'pages.account.email.cancelled' }
    return answerDone(ctx, this.verification.describe(user), next)
  }
}
