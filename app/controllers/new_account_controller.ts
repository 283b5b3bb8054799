import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from 'adonis-auth-kit/auth/facade'
import { recordSecurityEvent } from 'adonis-auth-kit/auth/security_events'
import { isUniqueViolation } from 'adonis-auth-kit/support/database_errors'
import { wantsPage } from 'adonis-auth-kit/support/wants_page'
import { fieldError } from 'adonis-auth-kit/support/words'
import User from '#models/user'
import { registerValidator } from '#validators/user'

export default class NewAccountController {
  /** The registration form. */
  async create({ view }: HttpContext) {
    return view.render('pages/auth/register')
  }

  /** Creates an account; a person in a browser is signed in by it. Every request counts against its address, because each may cost a password hash. */
  async store(ctx: HttpContext) {
    const auth = await app.container.make('auth_manager')
    await auth.feature('throttle')?.penalize('registrations', null, ctx)
    const account = await ctx.request.validateUsing(registerValidator)
    const user = await createUser(ctx, account)
    await recordSecurityEvent(ctx, user, 'registered', {})

    const verification = auth.feature('emailVerification')
    await verification?.sendLink(user, ctx)
    if (!wantsPage(ctx)) {
      return ctx.response.created({ user: user.toProfile() })
    }
    if (verification?.isRequired) {
      ctx.session.flash('success', ctx.i18n.t('pages.register.verify_first'))
      return ctx.response.redirect().toPath('/login')
    }
    await Auth.login(user)
    ctx.session.flash('success', ctx.i18n.t('pages.register.done'))
    return ctx.response.redirect().toIntended('/account')
  }
}

/** Two registrations at once may both pass the validator: the database has the last word. */
async function createUser(
  ctx: HttpContext,
  account: { email: string; password: string; fullName?: string | null }
) {
  try {
    return await User.create(account)
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw fieldError(ctx, 'email', 'database.unique')
    }
    throw error
  }
}
