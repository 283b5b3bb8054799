import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { InvalidSession, TemporarilyUnavailable } from '#auth/errors'
import { pathTo, wantsPage } from '#http/pages'
import { providerIsDown } from '#social/failures'
import type { IdentityProvider } from '#social/providers/provider'
import type { BeginOptions, Purpose, SocialOutcome } from '#social/types'

type Refusal = Omit<Extract<SocialOutcome, { kind: 'refused' }>, 'kind'>

/** Where somebody goes on who is refused: names of routes. */
const START: Record<Purpose, string> = {
  sign_in: 'session.create',
  confirm: 'confirmation.create',
  link: 'account.sign_in_methods.sign_in_methods.index',
}

/**
 * Sends somebody on by a page that leads on by itself: the policy of the page with the button holds for redirects of its
 * form, and would have to name every provider. A program gets the address.
 * @throws {TemporarilyUnavailable} to a program, when the provider does not answer
 */
export async function leadTo(ctx: HttpContext, provider: IdentityProvider, options: BeginOptions) {
  const manager = await app.container.make('auth_manager')
  const { label } = provider
  try {
    const social = manager.feature('social')!
    const { href } = await social.begin(ctx, provider, manager.usersOf(), options)
    return wantsPage(ctx)
      ? ctx.view.render('pages/auth/social_continue', { href, label })
      : ctx.response.ok({ authorization_url: href })
  } catch (error) {
    if (error instanceof TemporarilyUnavailable && wantsPage(ctx)) {
      return refuseSignIn(ctx, { ...options, reason: 'unavailable', label })
    }
    throw error
  }
}

/** Says why a sign-in was refused; the form is as it was sent. @throws {InvalidSession | TemporarilyUnavailable} to a program */
export function refuseSignIn(ctx: HttpContext, { purpose, reason, label, remember }: Refusal) {
  if (!wantsPage(ctx)) {
    throw reason === 'unavailable'
      ? providerIsDown()
      : new InvalidSession('The sign-in through the provider was refused.', { reason })
  }
  ctx.session.flash('remember', remember ?? false)
  ctx.session.flash('error', ctx.i18n.t(`social.refused.${reason}`, { provider: label }))
  return ctx.response.redirect().toPath(pathTo(START[purpose]))
}
