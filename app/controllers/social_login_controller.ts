import { errors, type HttpContext } from '@adonisjs/core/http'
import { urlFor } from '@adonisjs/core/services/url_builder'

import { Auth, currentUser } from 'adonis-auth-kit/auth'
import { appName } from '#config/app'
import { services } from '#services/social_accounts'
import { RequestSession } from 'adonis-auth-kit/session'
import { leadTo, type Purpose, refuseSignIn, type SocialOutcome } from 'adonis-auth-kit/social'
import { wantsPage } from 'adonis-auth-kit/http'
import { socialLoginValidator } from '#validators/social'

type Proven = Extract<SocialOutcome, { kind: 'proven' }>
type Join = Extract<SocialOutcome, { kind: 'join' }>

/** Login steps that a provider stands for, and those of one that names `mfa` where config/social.ts accepts its word. */
const TAKEN = ['mail_code']
const TAKEN_BY_MFA = [...TAKEN, 'two_factor']

/** Signing in, confirming and linking through a provider. */
export default class SocialLoginController {
  /** Begins to sign in. */
  async store(ctx: HttpContext) {
    const { remember, return_to: path } = await ctx.request.validateUsing(socialLoginValidator)
    if (path !== undefined) {
      ctx.session.setIntendedUrl(path)
    }
    return begin(ctx, 'sign_in', null, remember ?? false)
  }

  /** Begins to confirm that the signed-in person is there. */
  async confirm(ctx: HttpContext) {
    return begin(ctx, 'confirm', await currentUser(ctx))
  }

  /** Begins to connect an identity with the account. */
  async link(ctx: HttpContext) {
    return begin(ctx, 'link', await currentUser(ctx))
  }

  /** Where a provider sends the browser back to. */
  async callback(ctx: HttpContext) {
    if (lacksCookies(ctx)) {
      return sendOn(ctx)
    }
    const { social, users } = await services()
    const provider = await social.identities.provider(ctx.params.name)
    return provider ? answer(ctx, await social.finish(ctx, provider, users)) : notFound(ctx)
  }

  /** Apple answers with a form, which comes without cookies: the browser takes its fields along as a link. */
  async callbackForm(ctx: HttpContext) {
    const fields = Object.entries(ctx.request.body()).filter(
      (field): field is [string, string] =>
        ['code', 'state', 'iss', 'error'].includes(field[0]) && typeof field[1] === 'string'
    )
    const query = new URLSearchParams(fields)
    return ctx.response.redirect().status(303).toPath(`${ctx.request.url()}?${query}`)
  }

  /** Where the link leads that verifies the address of a new identity. */
  async address(ctx: HttpContext) {
    if (lacksCookies(ctx)) {
      return sendOn(ctx)
    }
    const { social, users } = await services()
    const { token } = ctx.request.qs()
    ctx.response.header('Referrer-Policy', 'strict-origin')
    return answer(ctx, await social.followAddressLink(ctx, String(token ?? ''), users))
  }
}

async function begin(ctx: HttpContext, purpose: Purpose, user: unknown, remember = false) {
  const { social } = await services()
  const provider = await social.identities.provider(ctx.params.name)
  return provider ? leadTo(ctx, provider, { purpose, user, remember }) : notFound(ctx)
}

/** With `sameSite: 'strict'` a link from another site brings no cookies. */
function lacksCookies(ctx: HttpContext): boolean {
  const isForeign = ctx.request.header('sec-fetch-site') === 'cross-site'
  return isForeign && wantsPage(ctx) && RequestSession.liveOf(ctx) === null
}

/** A page of this site that leads to the same address, with the cookies. */
function sendOn(ctx: HttpContext) {
  ctx.response.header('Cache-Control', 'no-store').header('Referrer-Policy', 'strict-origin')
  const href = ctx.request.url(true)
  return ctx.view.render('pages/auth/social_continue', { href, label: appName })
}

async function answer(ctx: HttpContext, outcome: SocialOutcome) {
  switch (outcome.kind) {
    case 'proven':
      return signIn(ctx, outcome)
    case 'confirmed':
      await Auth.markConfirmed()
      return go(ctx, null, { status: 'confirmed' })
    case 'linked':
      ctx.session.flash('success', ctx.i18n.t('social.linked', { provider: outcome.label }))
      return go(ctx, urlFor('account.sign_in_methods.sign_in_methods.index'), { status: 'linked' })
    case 'join':
      return awaitOwner(ctx, outcome)
    case 'verify':
      ctx.session.flash('success', ctx.i18n.t('social.verify_address', { email: outcome.email }))
      return go(ctx, urlFor('session.create'), { verify_address: true })
    case 'refused':
      return refuseSignIn(ctx, outcome)
  }
}

async function signIn(ctx: HttpContext, { user, mfa, isNew, ...how }: Proven) {
  const { methods, remember, origin } = how
  const options = { taken: mfa ? TAKEN_BY_MFA : TAKEN, methods, remember, origin }
  if (!(await Auth.loginProven(user, options))) {
    const next = await Auth.pendingLogin()
    return go(
      ctx,
      next?.step.path ?? urlFor('session.create'),
      next ? { [next.step.name]: true } : {}
    )
  }
  if (isNew) {
    ctx.session.flash('success', ctx.i18n.t('pages.register.done'))
  }
  return go(ctx, null, { user: user.toProfile() })
}

/** The account is somebody's: its owner signs in, and then says yes. Who is signed in already may have to confirm. */
async function awaitOwner(ctx: HttpContext, { email, label: provider, remember }: Join) {
  const page = urlFor('account.sign_in_methods.sign_in_methods.confirm_join')
  if (await ctx.authenticator.check()) {
    return go(ctx, page, { sign_in_required: true })
  }
  ctx.session.setIntendedUrl(page)
  ctx.session.flash('success', ctx.i18n.t('social.sign_in_to_link', { email, provider }))
  ctx.session.flash('remember', remember)
  return go(ctx, urlFor('session.create'), { sign_in_required: true })
}

/** @param path null: where the person wanted to go */
function go(ctx: HttpContext, path: string | null, body: object) {
  if (!wantsPage(ctx)) {
    return ctx.response.ok(body)
  }
  const redirect = ctx.response.redirect()
  return path === null ? redirect.toIntended(urlFor('account.profile.show')) : redirect.toPath(path)
}

/** @throws {E_ROUTE_NOT_FOUND} to a person, for its page */
function notFound(ctx: HttpContext) {
  if (wantsPage(ctx)) {
    throw new errors.E_ROUTE_NOT_FOUND([ctx.request.method(), ctx.request.url()])
  }
  return ctx.response.notFound({ message: 'Provider not found' })
}
