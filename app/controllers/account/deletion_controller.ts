import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { deleteAccount } from '#services/account_deletion'
import { AccountPassword } from '#services/account_password'
import { wantsPage } from '#support/wants_page'
import { accountDeletionValidator } from '#validators/account'

@inject()
export default class DeletionController {
  constructor(protected accountPassword: AccountPassword) {}

  async edit({ view }: HttpContext) {
    return view.render('pages/account/delete')
  }

  /** Deletes the account of whoever knows its password, and all that it may still open. */
  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { password } = await ctx.request.validateUsing(accountDeletionValidator)
    await this.accountPassword.confirm(ctx, user, password, 'password')
    await deleteAccount(ctx, user)

    if (!wantsPage(ctx)) {
      return ctx.response.noContent()
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.delete.done'))
    return ctx.response.redirect().toPath('/')
  }
}
