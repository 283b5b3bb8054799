import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { optionalUser } from '#auth/protection'
import { pathTo } from '#http/pages'

/** Sends people who are signed in already on to their account. */
export default class GuestMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    return (await optionalUser(ctx))
      ? ctx.response.redirect().toPath(pathTo('account.profile.show'))
      : next()
  }
}
