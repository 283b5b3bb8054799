import type { HttpContext } from '@adonisjs/core/http'
import { errors } from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'

import manager from '#auth/service'
import { InvalidGrant } from '#auth/errors'
import { recordSecurityEvent } from '#auth/security_events'
import { answerDone, pathTo, rememberAddress, typedAddress, wantsPage } from '#http/pages'
import { hashSecret } from '#security/secrets'
import { passwordEmailValidator, passwordResetValidator } from '#password_reset/validators'

const STATUS = 'If that account exists, a reset link has been sent.'

export default class PasswordResetController {
  async createLink(ctx: HttpContext) {
    return ctx.view.render('pages/auth/forgot_password', { email: typedAddress(ctx) })
  }

  async storeLink(ctx: HttpContext) {
    const { email } = await ctx.request.validateUsing(passwordEmailValidator)
    const token = await manager.feature('passwordResets')!.requestLink(email, ctx)

    if (ctx.session && wantsPage(ctx)) {
      rememberAddress(ctx, email)
      const next = { path: pathTo('password.request'), words: 'pages.forgot_password.sent' }
      return answerDone(ctx, null, next)
    }
    ctx.response.header('Cache-Control', 'no-store')
    return ctx.response.ok({ status: STATUS, ...(token !== null && { token }) })
  }

  /** Its address holds the token. Without any referrer the form would have `Origin: null`, which SPA mode refuses. */
  async create(ctx: HttpContext) {
    const link = readLink(ctx.request.qs())
    ctx.response.header('Referrer-Policy', 'strict-origin').header('Cache-Control', 'no-store')
    return link && (await manager.broker().accepts(link))
      ? ctx.view.render('pages/auth/reset_password', link)
      : askForAnotherLink(ctx)
  }

  async store(ctx: HttpContext) {
    if (ctx.session && wantsPage(ctx)) {
      return storeFromPage(ctx)
    }
    await reset(ctx, await ctx.request.validateUsing(passwordResetValidator))
    return ctx.response.header('Cache-Control', 'no-store').ok({ status: 'password reset' })
  }
}

async function reset(ctx: HttpContext, fields: Infer<typeof passwordResetValidator>) {
  const broker = manager.broker()
  const user = await broker.reset(fields, ctx)
  await recordSecurityEvent(ctx, user, 'password_changed', {}, broker.users)
  return { user, users: broker.users, email: fields.email }
}

const underWay = new Map<string, ReturnType<typeof reset>>()

/** A second click on the form finds the token used by the first: it waits for that one, and gets its answer. */
async function resetOnce(ctx: HttpContext) {
  const fields = await ctx.request.validateUsing(passwordResetValidator)
  const key = hashSecret(JSON.stringify(fields))
  const running = underWay.get(key) ?? reset(ctx, fields).finally(() => underWay.delete(key))
  underWay.set(key, running)
  return running
}

async function storeFromPage(ctx: HttpContext) {
  let account: Awaited<ReturnType<typeof reset>>
  try {
    account = await resetOnce(ctx)
  } catch (error) {
    if (error instanceof InvalidGrant) {
      return askForAnotherLink(ctx)
    }
    if (error instanceof errors.E_VALIDATION_ERROR) {
      return askAgain(ctx, error)
    }
    throw error
  }
  const before = ctx.session.getIntendedUrl()
  /* The session of this browser may be one of those that ended. */
  await manager.feature('sessions')?.invalidate(ctx)
  rememberAddress(ctx, account.email)
  /* After the sign-in: what still acts for the account, for the person to end; or where they were going. */
  const access = await manager.accountAccess.listOf(account.user, account.users)
  const next = access.length ? pathTo('account.access.index') : before
  next && ctx.session.setIntendedUrl(next)
  const done = { path: pathTo('session.create'), words: 'pages.reset_password.done' }
  return answerDone(ctx, null, done)
}

/** Back to the form, by the address that it came with: the token never enters the session. */
function askAgain(ctx: HttpContext, error: InstanceType<typeof errors.E_VALIDATION_ERROR>) {
  const link = readLink(ctx.request.body())
  if (!link) {
    return askForAnotherLink(ctx)
  }
  ctx.session.flashValidationErrors(error)
  return ctx.response
    .redirect()
    .withQs({ ...link })
    .toPath(pathTo('password.reset'))
}

function askForAnotherLink(ctx: HttpContext) {
  const { email } = ctx.request.all()
  if (typeof email === 'string') {
    ctx.session.flash('email', email)
  }
  ctx.session.flash('error', ctx.i18n.t('pages.forgot_password.bad_link'))
  return ctx.response.redirect().toPath(pathTo('password.request'))
}

function readLink({ token, email }: Record<string, unknown>) {
  return typeof token === 'string' && typeof email === 'string' ? { token, email } : null
}
