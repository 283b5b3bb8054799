import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from '#auth/facade'
import { currentUser } from '#auth/protection'
import { wantsPage } from '#support/wants_page'
import { fieldError } from '#support/words'
import { passkeyConfirmationValidator } from '#validators/passkey'

/** What `middleware.confirmed()` asks for, with a passkey. */
export default class PasskeyConfirmationController {
  /** What the browser needs to ask for one of the person's passkeys. */
  async options(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { passkeys, users } = await services()
    const options = await passkeys.confirmationOptions(user, users, ctx)
    return ctx.response.header('Cache-Control', 'no-store').ok(options)
  }

  /** Confirms, and goes on to the page that asked for it. */
  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { response: answer } = await ctx.request.validateUsing(passkeyConfirmationValidator)
    const { passkeys, users } = await services()
    const owner = await passkeys.verify('confirm', users, answer, ctx)
    if (!owner || users.identify(owner) !== users.identify(user)) {
      throw fieldError(ctx, 'response', 'passkey')
    }
    await Auth.markConfirmed()
    return wantsPage(ctx)
      ? ctx.response.redirect().toIntended('/account')
      : ctx.response.ok({ status: 'confirmed' })
  }
}

async function services() {
  const manager = await app.container.make('auth_manager')
  return { passkeys: manager.feature('passkeys')!, users: manager.usersOf() }
}
