import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import { pathTo } from '#http/path_to'
import { answerDone, wantsPage } from '#http/wants_page'

const users = () => manager.usersOf('web')

/** What has access for the person besides password and sessions: shown after a password reset, and ended together. */
export default class AccessController {
  async index(ctx: HttpContext) {
    const access = await manager.accountAccess.listOf(await currentUser(ctx), users())
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/access', { access })
      : ctx.response.ok({ access: access.map(({ name, count }) => ({ name, count })) })
  }

  async destroy(ctx: HttpContext) {
    const ended = await manager.accountAccess.endListed(await currentUser(ctx), users(), ctx)
    const next = { path: pathTo('account.access.index'), words: 'pages.account.access.ended' }
    return answerDone(ctx, { ended }, next)
  }
}
