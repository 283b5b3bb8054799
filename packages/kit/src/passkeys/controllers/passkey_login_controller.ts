import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { InvalidSession } from '#auth/errors'
import { Auth } from '#auth/facade'
import { answerLogin } from '#auth/login_answers'
import { answerRefused, pathTo } from '#http/pages'
import { Passkey } from '#passkeys/database'
import { passkeyLoginValidator } from '#passkeys/validators'

/** A device that has a passkey has checked who holds it: that is the second factor, too (RFC 8176). */
const TAKEN = ['two_factor', 'mail_code']
const METHODS = ['pop', 'user', 'mfa']

/** Signing in with a passkey: instead of the password, or as the step after it. */
export default class PasskeyLoginController {
  /** What the browser needs to ask for a passkey. After a password, one of that person. */
  async options(ctx: HttpContext) {
    const pending = await Auth.pendingLogin()
    const passkeys = manager.feature('passkeys')!
    const users = manager.usersOf()
    return ctx.response.ok(await passkeys.loginOptions(pending?.user ?? null, users, ctx))
  }

  async store(ctx: HttpContext) {
    const { response: answer, remember } = await ctx.request.validateUsing(passkeyLoginValidator)
    const users = manager.usersOf()
    const pending = await Auth.pendingLogin()
    const user = await manager.feature('passkeys')!.verify('login', users, answer, ctx)
    if (!user || (pending && users.identify(pending.user) !== users.identify(user))) {
      const error = new InvalidSession('The passkey is unknown, or its answer is not valid.')
      const path = pending?.step.path ?? pathTo('session.create')
      return answerRefused(ctx, error, { path, words: 'passkeys.refused' })
    }

    const options = {
      taken: TAKEN,
      methods: [...(pending?.methods ?? []), ...METHODS],
      origin: pending?.origin,
      remember: pending ? pending.remember : (remember ?? false),
      isProven: async () => (await Passkey.findBy('credentialId', answer.id)) !== null,
    }
    return answerLogin(ctx, await Auth.loginProven(user, options))
  }
}
