import type { HttpContext } from '@adonisjs/core/http'
import type { HttpError } from '@adonisjs/core/types/http'

import type { AuthError } from '#auth/errors'
import { currentViewer } from '#session/current_viewer'

/** Names whoever is signed in on a page of an error, unless that cannot be known now. */
export async function shareViewer(ctx: HttpContext): Promise<void> {
  const viewer = await currentViewer(ctx).catch(() => null)
  ctx.view.share({ currentViewer: () => viewer })
}

/**
 * Sends the form back with its messages and with what was typed; the session
 * leaves secrets out. A body that the parser refuses has no session yet.
 */
export function isSentBack(error: HttpError, { session, response }: HttpContext): boolean {
  if (!session) {
    return false
  }
  session.flashValidationErrors(error)
  response.redirect().back()
  return true
}

/**
 * Redirects people who are not signed in to the sign-in page, and those who
 * have to confirm that it is them to the page for it.
 */
export function isSentToSignIn({ error }: AuthError, ctx: HttpContext): boolean {
  if (error === 'invalid_session' && ctx.session) {
    ctx.response.redirect().withIntendedUrl().toPath('/login')
    return true
  }
  if (error === 'confirmation_required') {
    ctx.session.setIntendedUrl(pageOf(ctx))
    ctx.response.redirect().toPath('/confirm')
    return true
  }
  return false
}

/** The page that a person is on: the one they asked for, or the one with the form that they sent. */
function pageOf({ request }: HttpContext): string {
  if (request.method() === 'GET') {
    return request.url(true)
  }
  const page = URL.parse(request.getPreviousUrl([]))
  return page ? page.pathname + page.search : '/account'
}
