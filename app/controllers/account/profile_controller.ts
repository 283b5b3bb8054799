import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from 'adonis-auth-kit/auth'
import { wantsPage } from 'adonis-auth-kit/http'
import { profileValidator } from '#validators/user'

export default class ProfileController {
  /** The signed-in person's own page. */
  async show(ctx: HttpContext) {
    const user = await currentUser(ctx)
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/profile', { user })
      : ctx.response.ok({ user: user.toProfile() })
  }

  /** Changes the person's name. */
  async update(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { fullName } = await ctx.request.validateUsing(profileValidator)
    await user.merge({ fullName: fullName ?? null }).save()

    if (!wantsPage(ctx)) {
      return ctx.response.ok({ user: user.toProfile() })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.account.profile.done'))
    return ctx.response.redirect().toRoute('account.profile.show')
  }
}
