import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { currentUser } from '#auth/protection'
import { SecurityLog } from '#security_log/security_log'
import type { SecurityLogRecord } from '#security_log/types'
import { describeDevice } from '#http/device'
import { toSeconds } from '#database/expiry'
import { wantsPage } from '#http/wants_page'

/** Events that are shown; older ones are kept and not shown. */
const SHOWN = 50

/** What has happened to the security of the signed-in person's account. */
@inject()
export default class SecurityController {
  constructor(protected log: SecurityLog) {}

  async index(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const manager = await app.container.make('auth_manager')
    const events = await this.log.latest(user, manager.usersOf(), SHOWN)
    ctx.response.header('Cache-Control', 'no-store')
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/security', { events: events.map(forPage) })
      : ctx.response.ok({ events: events.map(describe) })
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
