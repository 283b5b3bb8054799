import type { HttpContext } from '@adonisjs/core/http'

import { Unauthenticated, UnknownAuthorization } from '#auth/errors'
import { assertFound } from '#http/errors'
import { keepPrivate, leave, redirect, readDecision, renderConsent, showAgain } from '#oauth2/pages'
import { ServerController } from '#oauth2/authorization_server'
import { recordConnection } from '#oauth2/token_owners'
import type { ConsentQuestion } from '#oauth2/pending/pending_authorizations'
import { wantsPage } from '#http/pages'
import { assertOr } from '#process/assert_or'

/** The decision about a request that waits: by the consent page, or by one of your own. */
export default class PendingAuthorizationsController extends ServerController {
  async show(ctx: HttpContext) {
    keepPrivate(ctx)
    const pending = await this.server.pending.find(ctx, ctx.params.handle)
    const question = await pending.choices()
    const contexts = question && { contexts: question.choices }
    return ctx.response.ok({ ...pending.describe(), ...contexts })
  }

  async approve(ctx: HttpContext) {
    const decision = readDecision(ctx)
    return this.#decide(ctx, async (pending) => {
      try {
        const location = await pending.approve(decision)
        await recordConnection(ctx, pending.request)
        return location
      } catch (error) {
        const render = renderConsent.bind(null, ctx, pending)
        return { page: await showAgain(ctx, error, decision, render) }
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
      assertOr('logout' in guard, UnknownAuthorization, 'The guard cannot sign the user out.')
      const location = await pending.abandon('login')
      await guard.logout()
      return location
    })
  }

  /** The person goes on with the account that they are signed in with (`prompt=select_account`). */
  async select(ctx: HttpContext) {
    assertFound(this.server.openid !== null, ctx)
    return this.#decide(ctx, (pending) => pending.abandon('select_account'))
  }

  /** Leads a page on, and answers a program by the address to go to. */
  async #decide(
    ctx: HttpContext,
    decide: (pending: ConsentQuestion) => Promise<string | { page: string }>
  ) {
    keepPrivate(ctx)
    try {
      const outcome = await decide(await this.server.pending.find(ctx, ctx.params.handle))
      if (typeof outcome !== 'string') {
        return outcome.page
      }
      /* The program may be a page of another origin. */
      const endpoint = `${this.server.issuerOf(ctx.request)}/oauth/authorize`
      const url = outcome.replace(/^\/[^?]*/, () => endpoint)
      return wantsPage(ctx) ? leave(ctx, outcome) : ctx.response.ok({ redirect_to: url })
    } catch (error) {
      if (error instanceof Unauthenticated && wantsPage(ctx)) {
        return redirect(ctx, await this.server.pending.locationAfterSignIn(ctx, ctx.params.handle))
      }
      throw error
    }
  }
}
