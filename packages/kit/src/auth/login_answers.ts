import type { HttpContext } from '@adonisjs/core/http'

import { Auth } from '#auth/facade'
import { pathTo } from '#http/path_to'
import { wantsPage } from '#http/wants_page'

/** Answers a request that has taken a step of a login: the person is signed in, or has another step to take. */
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

/** Answers a person who has confirmed that it is them: on to the page that asked for it. */
export function answerConfirmed(ctx: HttpContext) {
  return wantsPage(ctx)
    ? ctx.response.redirect().toIntended(pathTo('account.profile.show'))
    : ctx.response.ok({ status: 'confirmed' })
}
