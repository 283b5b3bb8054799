import type { HttpContext } from '@adonisjs/core/http'

import { type AuthError, InvalidSession, ProviderRequired, Throttled } from '#auth/errors'
import { isReading, pageOf, pathTo, previousPage } from '#http/pages'
import { usesMiddleware } from '#http/route_marks'
import { isOAuthEndpoint } from '#oauth2/protocol_error'
import { FormSentAgain } from '#session/csrf'
import { currentViewer } from '#session/facade'
import { RequestSession } from '#session/request_session'
import { leadTo } from '#social/lead_on'

/** Names whoever is signed in on a page of an error, unless that cannot be known now. */
export async function shareViewer(ctx: HttpContext): Promise<void> {
  const viewer = await currentViewer(ctx).catch(() => null)
  ctx.view.share({ currentViewer: () => viewer })
}

/** Whether a refusal leads to a page of its own: the sign-in, a provider, the form that was sent. */
export async function isLedOn(error: AuthError, ctx: HttpContext): Promise<boolean> {
  if (error instanceof FormSentAgain) {
    return isSentAgain(error, ctx)
  }
  if (error.error === 'csrf_token_mismatch' && (await isSignedOut(ctx))) {
    const done = new FormSentAgain(pathTo('session.create'), ctx.i18n.t('pages.login.signed_out'))
    return isSignOut(ctx) ? isSentAgain(done, ctx) : isSentToSignIn(new InvalidSession(), ctx)
  }
  if (error instanceof Throttled) {
    return isSlowedDown(error, ctx)
  }
  return error instanceof ProviderRequired
    ? isSentToProvider(error, ctx)
    : isSentToSignIn(error, ctx)
}

/** Whether a form of this site, also one of OAuth, was sent after the sign-out of its person, e.g. in another tab. */
async function isSignedOut(ctx: HttpContext): Promise<boolean> {
  const needsPerson = usesMiddleware(ctx.route, 'auth') || isOAuthEndpoint(ctx) || isSignOut(ctx)
  const isOwn = needsPerson && previousPage(ctx) !== null
  return isOwn && (await currentViewer(ctx).catch(() => true)) === null
}

/** The form that whoever is signed out already has no more use for. */
const isSignOut = ({ route }: HttpContext) => route?.name === 'session.destroy'

/** Redirects people to the sign-in page, or to the one where they confirm that it is them. */
function isSentToSignIn({ error }: Pick<AuthError, 'error'>, ctx: HttpContext): boolean {
  if (error === 'invalid_session' && ctx.session) {
    if (ctx.request.method() !== 'GET' && keepTyped(ctx)) {
      ctx.session.setIntendedUrl(pageOf(ctx))
      ctx.session.flash('error', ctx.i18n.t('pages.login.session_ended'))
    }
    /* To AdonisJS a visit by Inertia is the request of a script, which leads back nowhere. */
    ctx.request.header('x-inertia') && isReading(ctx) && ctx.session.setIntendedUrl(pageOf(ctx))
    ctx.response.redirect().withIntendedUrl().toPath(pathTo('session.create'))
    return true
  }
  if (error === 'confirmation_required') {
    if (ctx.request.method() !== 'GET') {
      /* Shown when the person is back: a form without a text would return without a word. */
      keepTyped(ctx, { error: ctx.i18n.t('pages.confirm.repeat') })
    }
    ctx.session.setIntendedUrl(pageOf(ctx))
    ctx.response.redirect().toPath(pathTo('confirmation.create'))
    return true
  }
  return false
}

/** Leads a second click on a form, e.g. on that of a sign-in, where the first one went. */
function isSentAgain({ success, next }: FormSentAgain, { session, response }: HttpContext): true {
  success && session.flash('success', success)
  response.redirect().toPath(next)
  return true
}

/** Leads to the provider that somebody has to sign in with instead. */
async function isSentToProvider(error: ProviderRequired, ctx: HttpContext): Promise<boolean> {
  const manager = await ctx.containerResolver.make('auth_manager')
  const provider = await manager.feature('social')?.identities.provider(error.provider)
  if (!provider) {
    return false
  }
  const remember = ctx.request.input('remember') === 'true'
  const page = await leadTo(ctx, provider, { purpose: 'sign_in', user: null, remember })
  typeof page === 'string' && ctx.response.send(page)
  return true
}

/** Sends a form that was sent too often back, with what was typed and how long to wait. */
function isSlowedDown({ retryAfter }: Throttled, ctx: HttpContext): boolean {
  if (ctx.request.method() === 'GET' || !keepTyped(ctx)) {
    return false
  }
  const seconds = Math.max(1, Math.ceil(retryAfter))
  const minutes = Math.ceil(seconds / 60)
  ctx.session.flash('error', ctx.i18n.t('pages.error.throttled', { seconds, minutes }))
  ctx.response.redirect().toPath(previousPage(ctx)!)
  return true
}

/**
 * Keeps what was typed into a form of this site until its page is shown again. A form of another
 * site never gets as far: what it holds would be shown as the person's own words.
 * @param message to show with it
 */
export function keepTyped(ctx: HttpContext, message?: Record<string, string>): boolean {
  const page = ctx.session && previousPage(ctx)
  page && RequestSession.of(ctx).keepForm(page.split('?')[0]!, message)
  return Boolean(page)
}
