import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import { SecurityLog, type SecurityLogRecord } from '#security_log/security_log'
import { describeDevice } from '#http/device'
import { toSeconds } from '#database/records'
import { pathTo, wantsPage } from '#http/pages'

/** Events on a page. */
const SHOWN = 50
const SIGN_INS = ['signed_in', 'new_device', 'sessions_ended']
const SELECTIONS = { sign_ins: { only: SIGN_INS }, changes: { except: SIGN_INS } }

const asked = vine.create({
  page: vine.number().withoutDecimals().range([1, 1000]).optional(),
  show: vine.enum(['sign_ins', 'changes'] as const).optional(),
})

/** What has happened to the security of the signed-in person's account. */
@inject()
export default class SecurityController {
  constructor(protected log: SecurityLog) {}

  async index(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { page = 1, show } = await ctx.request.validateUsing(asked, { data: ctx.request.qs() })
    const found = await this.log.latest(user, manager.usersOf(), SHOWN + 1, {
      ...(show && SELECTIONS[show]),
      offset: (page - 1) * SHOWN,
    })
    const events = found.slice(0, SHOWN)
    const hasMore = found.length > SHOWN
    if (!wantsPage(ctx)) {
      return ctx.response.ok({ events: events.map(describe), page, has_more: hasMore })
    }
    const addressOf = (shown: number) =>
      pathTo('security.index', [], { qs: { ...(show && { show }), page: shown } })
    return ctx.view.render('pages/account/security', {
      events: events.map(forPage),
      show,
      newer: page > 1 ? addressOf(page - 1) : null,
      older: hasMore ? addressOf(page + 1) : null,
    })
  }
}

function forPage({ type, details, createdAt, ipAddress, userAgent }: SecurityLogRecord) {
  return { type, details, at: new Date(createdAt), ipAddress, device: describeDevice(userAgent) }
}

/** An event as programs see it. Times are epoch seconds. */
function describe({ type, details, createdAt, ipAddress, userAgent }: SecurityLogRecord) {
  return {
    type,
    details,
    created_at: toSeconds(createdAt),
    ip_address: ipAddress,
    user_agent: userAgent,
    ...describeDevice(userAgent),
  }
}
