import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import { answerDone, pathTo, wantsPage } from '#http/pages'

/** What has access for the person besides password and sessions: shown after a password reset, and ended together. */
export default class AccessController {
  async index(ctx: HttpContext) {
    const access = await manager.accountAccess.listOf(await currentUser(ctx), manager.usersOf())
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/access', { access })
      : ctx.response.ok({ access: access.map(({ name, count }) => ({ name, count })) })
  }

  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const ended = await manager.accountAccess.endListed(user, manager.usersOf(), ctx)
    const left = await manager.accountAccess.listOf(user, manager.usersOf())
    const words = `pages.account.access.${left.length ? 'kept' : 'ended'}`
    return answerDone(ctx, { ended }, { path: pathTo('account.access.index'), words })
  }
}
