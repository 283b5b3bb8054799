import type { HttpContext } from '@adonisjs/core/http'

import { InvalidSession } from '#auth/errors'
import { Auth } from '#auth/facade'
import { optionalUser } from '#auth/protection'
import { rememberAddress, typedAddress } from '#http/typed_address'
import { wantsPage } from '#http/wants_page'
import { fieldError } from '#http/words'
import { linkedCode, mailCodesOf } from '#mail_code/controllers/services'
import { PATHS } from '#mail_code/mail_codes'
import { mailCodeRequestValidator, mailCodeValidator } from '#mail_code/validators'

const STATUS = 'If that account exists, a code has been sent.'

const STEP = 'mail_code'

/** Signing in by a code that was mailed: instead of the password, or as the step after it. */
export default class MailCodeLoginController {
  /** Asks for the code, in the browser that has asked for one; elsewhere for the address. */
  async create(ctx: HttpContext) {
    const isStep = (await pendingStep()) !== null
    const { codes } = await mailCodesOf(ctx, isStep)
    if (await optionalUser(ctx)) {
      return ctx.response.redirect().toPath('/account')
    }
    const code = linkedCode(ctx)
    const pending = codes.pending(ctx, isStep ? 'step' : 'login')
    const email = pending?.email ?? typedAddress(ctx)
    return ctx.view.render('pages/auth/mail_code', {
      path: PATHS.login,
      isAsked: pending !== null,
      isElsewhere: code !== '' && pending === null,
      asksAddress: !isStep,
      code,
      email,
    })
  }

  /** Mails a code. Whether there is an account shows nowhere. */
  async store(ctx: HttpContext) {
    const pending = await pendingStep()
    const { codes, users } = await mailCodesOf(ctx, pending !== null)
    if (pending) {
      await pending.step.begin?.(pending.user, users, ctx)
    } else {
      const { email, remember } = await ctx.request.validateUsing(mailCodeRequestValidator)
      await codes.send(ctx, users, { email, remember: remember ?? false, purpose: 'login' })
      rememberAddress(ctx, email)
    }
    if (!wantsPage(ctx)) {
      return ctx.response.header('Cache-Control', 'no-store').ok({ status: STATUS })
    }
    ctx.session.flash('success', ctx.i18n.t('mail_code.sent'))
    return ctx.response.redirect().toPath(PATHS.login)
  }

  /** Signs in whoever types the code. */
  async verify(ctx: HttpContext) {
    const pending = await pendingStep()
    await mailCodesOf(ctx, pending !== null)
    const { mail_code: code } = await ctx.request.validateUsing(mailCodeValidator)
    return pending ? this.#continue(ctx, code) : this.#begin(ctx, code)
  }

  async #begin(ctx: HttpContext, code: string) {
    const { codes, users } = await mailCodesOf(ctx)
    const typed = await codes.redeem(ctx, 'login', code)
    if (typed === 'wrong') {
      throw fieldError(ctx, 'mail_code', 'mailCode')
    }
    const user = typed === 'gone' ? null : await codes.arrive(ctx, users, typed)
    if (typed === 'gone' || !user) {
      return refuse(ctx)
    }
    const options = { taken: [STEP], methods: ['otp'], remember: typed.remember }
    return (await Auth.loginProven(user, options)) ? welcome(ctx) : goOn(ctx)
  }

  async #continue(ctx: HttpContext, code: string) {
    const { codes } = await mailCodesOf(ctx, true)
    if (await Auth.continueLogin({ mail_code: code })) {
      return welcome(ctx)
    }
    if (!(await pendingStep())) {
      return goOn(ctx)
    }
    if (codes.pending(ctx, 'step')) {
      throw fieldError(ctx, 'mail_code', 'mailCode')
    }
    return refuse(ctx)
  }
}

/** The login of this session, if a code is its next step. */
async function pendingStep() {
  const pending = await Auth.pendingLogin()
  return pending?.step.name === STEP ? pending : null
}

function welcome(ctx: HttpContext) {
  const user = ctx.auth.getUserOrFail()
  return wantsPage(ctx)
    ? ctx.response.redirect().toIntended('/account')
    : ctx.response.ok({ user: user.toProfile() })
}

/** To the next step of the login. */
async function goOn(ctx: HttpContext) {
  const next = await Auth.pendingLogin()
  return wantsPage(ctx)
    ? ctx.response.redirect().toPath(next?.step.path ?? '/login')
    : ctx.response.ok(next ? { [next.step.name]: true } : {})
}

/** The code expired, was used, or has no tries left: another one has to be asked for. */
function refuse(ctx: HttpContext) {
  if (!wantsPage(ctx)) {
    throw new InvalidSession('The code does not work any more: ask for another one.')
  }
  ctx.session.flash('error', ctx.i18n.t('mail_code.gone'))
  return ctx.response.redirect().toPath(PATHS.login)
}
