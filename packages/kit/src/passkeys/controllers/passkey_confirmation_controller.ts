import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { answerConfirmed } from '#auth/login_answers'
import { currentUser } from '#auth/protection'
import { ProofController } from '#auth/account_proof'
import { passkeyConfirmationValidator } from '#passkeys/validators'

/** What `middleware.confirmed()` asks for, with a passkey. */
export default class PasskeyConfirmationController extends ProofController {
  async options(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const passkeys = manager.feature('passkeys')!
    return ctx.response.ok(await passkeys.confirmationOptions(user, manager.usersOf(), ctx))
  }

  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const proof = await ctx.request.validateUsing(passkeyConfirmationValidator)
    await this.proof.demand(ctx, user, proof)
    return answerConfirmed(ctx)
  }
}
