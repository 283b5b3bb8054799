import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { urlFor } from '@adonisjs/core/services/url_builder'

import { Auth, InvalidSession } from 'adonis-auth-kit/auth'
import { rememberAddress, typedAddress, wantsPage } from 'adonis-auth-kit/http'
import { loginValidator } from '#validators/user'

export default class SessionController {
  /** The sign-in form. */
  async create(ctx: HttpContext) {
    const auth = await app.container.make('auth_manager')
    return ctx.view.render('pages/auth/login', {
      email: auth.feature('openid')?.loginHint(ctx) ?? typedAddress(ctx),
      asker: (await auth.feature('askingClient')?.nameOf(ctx)) ?? null,
      byAddress: (await auth.feature('social')?.organisations?.isAny()) ?? false,
    })
  }

  /** Signs a user in. An address alone leads to the provider of its organisation. */
  async store(ctx: HttpContext) {
    const { email, password } = ctx.request.body()
    if (!password) {
      const auth = await app.container.make('auth_manager')
      await auth.feature('social')?.assertPasswordWorks(ctx, email, false)
    }
    const { remember, ...credentials } = await ctx.request.validateUsing(loginValidator)

    if (await Auth.attempt(credentials, { remember: remember ?? false })) {
      const user = ctx.auth.getUserOrFail()
      return wantsPage(ctx)
        ? ctx.response.redirect().toIntended(urlFor('account.profile.show'))
        : ctx.response.ok({ user: user.toProfile() })
    }

    const pending = await Auth.pendingLogin()
    if (pending) {
      return wantsPage(ctx)
        ? ctx.response.redirect().toPath(pending.step.path)
        : ctx.response.ok({ [pending.step.name]: true })
    }
    if (!wantsPage(ctx)) {
      throw new InvalidSession('The e-mail address or the password is wrong.')
    }
    ctx.session.flashOnly(['email', 'remember'])
    rememberAddress(ctx, credentials.email)
    ctx.session.flash('error', ctx.i18n.t('pages.login.refused'))
    return ctx.response.redirect().toRoute('session.create')
  }

  /** Signs the user out. Doing it twice is no mistake. A form may name the page to come back to with another account. */
  async destroy(ctx: HttpContext) {
    await Auth.logout()
    if (!wantsPage(ctx)) {
      return { user: null }
    }
    const page: unknown = ctx.request.input('page')
    typeof page === 'string' && ctx.session.setIntendedUrl(page)
    ctx.session.flash('success', ctx.i18n.t('pages.login.signed_out'))
    return ctx.response.redirect().toRoute('session.create')
  }
}
