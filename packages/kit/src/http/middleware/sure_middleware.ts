import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { pathTo, previousPage, wantsPage } from '#http/pages'

/** More than a name in a question needs. */
const MAX_NAME = 255

/**
 * `middleware.sure('tokens.revoke')`, for a form that destroys something: asks people once more, by `pages.sure.<question>`.
 * With JavaScript a dialog asks, and the form is sent with `sure`; without it, a page does. Programs are not asked.
 */
export default class SureMiddleware {
  async handle(ctx: HttpContext, next: NextFn, question: string) {
    const { sure, named } = ctx.request.body()
    if (sure || !wantsPage(ctx)) {
      return next()
    }
    const page = await ctx.view.render('pages/account/sure', {
      question,
      action: ctx.request.url(),
      named: typeof named === 'string' ? named.slice(0, MAX_NAME) : '',
      back: previousPage(ctx) ?? pathTo('account.profile.show'),
    })
    return ctx.response.send(page)
  }
}
