import type { HttpContext } from '@adonisjs/core/http'

import { Auth } from '#auth/facade'
import { pathTo, wantsPage } from '#http/pages'

/** The response to a login step: the person is signed in, or another step is missing. */
export async function answerLogin(ctx: HttpContext, isSignedIn: boolean) {
  if (isSignedIn) {
    return wantsPage(ctx)
      ? ctx.response.redirect().toIntended(pathTo('account.profile.show'))
      : ctx.response.ok({ user: ctx.authenticator.getUserOrFail().toProfile() })
  }
  const next = await Auth.pendingLogin()
  return wantsPage(ctx)
    ? ctx.response.redirect().toPath(next?.step.path ?? pathTo('session.create'))
    : ctx.response.ok(next ? { [next.step.name]: true } : {})
}

/** The response to a confirmation: back to the page that asked for it. */
export function answerConfirmed(ctx: HttpContext) {
  return wantsPage(ctx)
    ? ctx.response.redirect().toIntended(pathTo('account.profile.show'))
    : ctx.response.ok({ status: 'confirmed' })
}
