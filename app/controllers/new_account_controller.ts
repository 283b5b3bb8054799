import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { urlFor } from '@adonisjs/core/services/url_builder'
import { errors } from '@vinejs/vine'
import { DateTime } from 'luxon'

import { Auth, verifyPasswordOf } from 'adonis-auth-kit/auth'
import { recordSecurityEvent } from 'adonis-auth-kit/auth/security_events'
import { isUniqueViolation } from 'adonis-auth-kit/database'
import { fieldError, wantsPage } from 'adonis-auth-kit/http'
import { ownerOf } from 'adonis-auth-kit/workspaces'
import User from '#models/user'
import { loginValidator, registerValidator } from '#validators/user'

/** How long a registration may be repeated by whoever knows its password. */
const REPETITION = { minutes: 1 }

export default class NewAccountController {
  /** The registration form. */
  async create({ view }: HttpContext) {
    return view.render('pages/auth/register')
  }

  /** Creates an account; a person in a browser is signed in by it. Every request counts against its address, because each may cost a password hash. */
  async store(ctx: HttpContext) {
    const auth = await app.container.make('auth_manager')
    await auth.feature('throttle')?.penalize('registrations', null, ctx)
    await auth.feature('social')?.assertPasswordWorks(ctx, ctx.request.body().email)
    const { user, isNew } = await register(ctx)
    const verification = auth.feature('emailVerification')
    if (isNew) {
      await recordSecurityEvent(ctx, user, 'registered', {})
      await auth.feature('workspaces')?.ensurePersonal(ownerOf(user, auth.usersOf()))
      await verification?.trySendLink(user, ctx)
    }
    if (!wantsPage(ctx)) {
      return ctx.response.created({ user: user.toProfile() })
    }
    if (verification?.isRequired) {
      ctx.session.flash('success', ctx.i18n.t('pages.register.verify_first'))
      return ctx.response.redirect().toRoute('session.create')
    }
    if (!isNew && !(await Auth.loginProven(user, { taken: [] }))) {
      return ctx.response.redirect().toRoute('session.create')
    }
    if (isNew) {
      /* The owner of the address may have arrived meanwhile, by another way: that ends what anybody else has begun. */
      const isProven = async () => !(await auth.usersOf().hasNewPassword(user))
      await Auth.login(user, { isProven })
    }
    ctx.session.flash('success', ctx.i18n.t('pages.register.done'))
    return ctx.response.redirect().toIntended(urlFor('account.profile.show'))
  }
}

async function register(ctx: HttpContext): Promise<{ user: User; isNew: boolean }> {
  try {
    return {
      user: await createUser(ctx, await ctx.request.validateUsing(registerValidator)),
      isNew: true,
    }
  } catch (error) {
    const user = wantsPage(ctx) && isTaken(error) ? await justRegistered(ctx) : null
    if (!user) {
      throw error
    }
    return { user, isNew: false }
  }
}

/** The account that this form has made already: somebody pressed its button twice, and their browser has lost the first answer. */
async function justRegistered(ctx: HttpContext): Promise<User | null> {
  const { email, password } = await ctx.request.validateUsing(loginValidator)
  const user = await User.findBy({ email })
  const isFresh = user && user.createdAt.plus(REPETITION) > DateTime.now()
  const auth = await app.container.make('auth_manager')
  /* A wrong password counts like that of a failed login. */
  const isTheirs = isFresh && (await verifyPasswordOf(auth, auth.usersOf(), user, password, ctx))
  return isTheirs ? user : null
}

/** Whether nothing is wrong but that the address has an account. */
function isTaken(error: unknown) {
  return (
    error instanceof errors.E_VALIDATION_ERROR &&
    error.messages.every(({ rule }: { rule: string }) => rule === 'database.unique')
  )
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
