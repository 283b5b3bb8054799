import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { InvalidScope, Unauthenticated, UnknownAuthorization } from '#auth/errors'
import { AuthorizationServer } from '#oauth2/authorization_server'
import { keepPrivate, redirect } from '#oauth2/controllers/browser_answers'
import { recordConnection } from '#oauth2/controllers/connection_events'
import { renderConsent } from '#oauth2/controllers/consent_page'
import type { PendingAuthorization } from '#oauth2/pending/pending_authorization'
import { readDecision } from '#oauth2/pending/read_decision'
import { wantsPage } from '#http/wants_page'

/** The decision about an authorization request that waits: by the consent page, or by one of your own. */
@inject()
export default class PendingAuthorizationsController {
  constructor(protected server: AuthorizationServer) {}

  /** What the user is asked to approve. */
  async show(ctx: HttpContext) {
    keepPrivate(ctx)
    const pending = await this.server.pending.find(ctx, ctx.params.handle)
    const question = await pending.choices()
    return ctx.response.ok({
      ...pending.describe(),
      ...(question && { contexts: question.choices }),
    })
  }

  async approve(ctx: HttpContext) {
    const decision = readDecision(ctx)
    return this.#decide(ctx, async (pending) => {
      try {
        const location = await pending.approve(decision)
        await recordConnection(ctx, pending.request)
        return location
      } catch (error) {
        if (!(error instanceof InvalidScope) || !wantsPage(ctx)) {
          throw error
        }
        ctx.response.status(error.status)
        const ticked = decision.scopes ?? []
        return { page: await renderConsent(ctx, pending, { problem: 'none_ticked', ticked }) }
      }
    })
  }

  async deny(ctx: HttpContext) {
    return this.#decide(ctx, (pending) => pending.deny())
  }

  /** Signs the person out. Whoever signs in next comes back to the same request. */
  async switch(ctx: HttpContext) {
    return this.#decide(ctx, async (pending) => {
      const guard = ctx.authenticator.use(pending.request.guardName)
      if (!('logout' in guard)) {
        throw new UnknownAuthorization('The guard cannot sign the user out.')
      }
      const location = await pending.abandon()
      await guard.logout()
      return location
    })
  }

  /** Answers a page by a redirect, and a program by the address to go to. */
  async #decide(
    ctx: HttpContext,
    decide: (pending: PendingAuthorization) => Promise<string | { page: string }>
  ) {
    keepPrivate(ctx)
    try {
      const outcome = await decide(await this.server.pending.find(ctx, ctx.params.handle))
      if (typeof outcome !== 'string') {
        return outcome.page
      }
      return wantsPage(ctx) ? redirect(ctx, outcome) : ctx.response.ok({ redirect_to: outcome })
    } catch (error) {
      if (error instanceof Unauthenticated && wantsPage(ctx)) {
        return redirect(ctx, await this.server.pending.locationAfterSignIn(ctx, ctx.params.handle))
      }
      throw error
    }
  }
}
