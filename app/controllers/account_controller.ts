import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'

export default class AccountController {
  /** The signed-in person's own page. */
  async show(ctx: HttpContext) {
    return ctx.view.render('pages/account', { user: await currentUser(ctx) })
  }
}
