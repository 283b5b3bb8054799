import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'
import { errors } from '@vinejs/vine'

import { Auth } from '#auth/facade'
import { wantsPage } from '#support/wants_page'
import User from '#models/user'
import { registerValidator } from '#validators/user'

/** SQLite's and PostgreSQL's code for a broken unique index. */
const UNIQUE_VIOLATION = ['SQLITE_CONSTRAINT_UNIQUE', '23505']

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
    const user = await createUser(account)

    if (wantsPage(ctx)) {
      await Auth.login(user)
      ctx.session.flash('success', 'Your account has been created.')
      return ctx.response.redirect().toIntended('/account')
    }
    return ctx.response.created({ user: user.toProfile() })
  }
}

/** Two registrations at once may both pass the validator: the database has the last word. */
async function createUser(account: { email: string; password: string; fullName?: string | null }) {
  try {
    return await User.create(account)
  } catch (error) {
    if (UNIQUE_VIOLATION.includes((error as { code: string }).code)) {
      throw new errors.E_VALIDATION_ERROR([
        { field: 'email', rule: 'database.unique', message: 'The email has already been taken' },
      ])
    }
    throw error
  }
}
