import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import { recordSecurityEvent } from '#auth/security_events'
import { SessionService } from '#session/session_service'
import type { UserSession } from '#session/store'
import { describeDevice } from '#http/device'
import { toSeconds } from '#database/records'
import { answerDone, answerEnded, pathTo, wantsPage } from '#http/pages'

const PAGE = 'account.sessions.sessions.index'

@inject()
export default class SessionsController {
  constructor(protected sessions: SessionService) {}

  async index(ctx: HttpContext) {
    const list = await this.sessions.listOf(await currentUser(ctx), manager.usersOf(), ctx)
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/sessions', { sessions: list.map(forPage) })
      : ctx.response.ok({ sessions: list.map(describe) })
  }

  /** Ends a session of this person; any other id is not found. */
  async destroy(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const isEnded = await this.sessions.destroyOneOf(user, manager.usersOf(), ctx.params.id)
    if (isEnded) {
      await recordSecurityEvent(ctx, user, 'sessions_ended', { count: 1 })
    }
    const words = isEnded ? 'pages.account.sessions.ended' : 'pages.account.sessions.gone'
    return answerEnded(ctx, isEnded, 'Session not found', { path: pathTo(PAGE), words })
  }

  async destroyOthers(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const count = await this.sessions.destroyOthersOf(user, manager.usersOf(), ctx)
    if (count) {
      await recordSecurityEvent(ctx, user, 'sessions_ended', { count })
    }
    const words = 'pages.account.sessions.others_ended'
    return answerDone(ctx, { ended: count }, { path: pathTo(PAGE), words, values: { count } })
  }
}

function forPage(session: UserSession) {
  return {
    id: session.name,
    isCurrent: session.isCurrent,
    provider: session.login?.origin?.label,
    ipAddress: session.ipAddress,
    device: describeDevice(session.userAgent),
    since: new Date(session.createdAt),
    active: new Date(session.lastActivity),
  }
}

/** A session as programs see it. Times are epoch seconds. */
function describe(session: UserSession) {
  return {
    id: session.name,
    current: session.isCurrent,
    provider: session.login?.origin?.provider ?? null,
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
    ...describeDevice(session.userAgent),
    created_at: toSeconds(session.createdAt),
    last_activity: toSeconds(session.lastActivity),
    expires_at: toSeconds(session.expiresAt),
  }
}
