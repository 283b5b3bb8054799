import type { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import manager from '#auth/service'
import { code as codeRule } from '#auth/account_proof'
import { email as emailRule } from '#auth/credential_rules'
import { ConfirmationRequired, InvalidSession } from '#auth/errors'
import { Auth } from '#auth/facade'
import { answerConfirmed, answerLogin } from '#auth/login_answers'
import { currentUser, optionalUser } from '#auth/protection'
import type { Users } from '#auth/users'
import { assertFound } from '#http/errors'
import {
  answerDone,
  answerRefused,
  pathTo,
  rememberAddress,
  typedAddress,
  wantsPage,
} from '#http/pages'
import { assertField } from '#http/words'
import { type MailCodePurpose, type MailCodes, PATHS } from '#mail_code/mail_codes'

/** `POST /login/code`. After the password it asks for another code, and needs no address. */
const mailCodeRequestValidator = vine.create({
  email: emailRule(),
  remember: vine.boolean().optional(),
})

const mailCodeValidator = vine.create({ mail_code: codeRule() })

const STATUS = 'If that account exists, a code has been sent.'
const STEP = 'mail_code'

/** Codes by mail: to sign in, instead of the password or as the step after it, and to confirm. */
export default class MailCodeController {
  /** Asks for the code, in the browser that has asked for one; elsewhere for the address. */
  async create(ctx: HttpContext) {
    const isStep = (await pendingStep()) !== null
    const { codes } = await services(ctx, isStep)
    return (await optionalUser(ctx))
      ? ctx.response.redirect().toPath(pathTo('account.profile.show'))
      : showForm(ctx, codes, isStep ? 'step' : 'login')
  }

  /** Mails a code. Whether there is an account shows nowhere. */
  async store(ctx: HttpContext) {
    const pending = await pendingStep()
    const { codes, users } = await services(ctx, pending !== null)
    if (pending) {
      await pending.step.begin?.(pending.user, users, ctx)
    } else {
      const { email, remember } = await ctx.request.validateUsing(mailCodeRequestValidator)
      await codes.send(ctx, users, { email, remember: remember ?? false, purpose: 'login' })
      rememberAddress(ctx, email)
    }
    return answerDone(ctx, { status: STATUS }, { path: PATHS.login, words: 'mail_code.sent' })
  }

  async verify(ctx: HttpContext) {
    const isStep = (await pendingStep()) !== null
    const { codes, users } = await services(ctx, isStep)
    const { mail_code: code } = await ctx.request.validateUsing(mailCodeValidator)
    return isStep ? continueLogin(ctx, codes, code) : beginLogin(ctx, codes, users, code)
  }

  async createConfirmation(ctx: HttpContext) {
    await currentUser(ctx)
    const { codes } = await services(ctx)
    return showForm(ctx, codes, 'confirm')
  }

  /** Mails a code to the account's address. A form that asks for proof itself is shown again, for the code. */
  async storeConfirmation(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { codes, users } = await services(ctx)
    const email = users.usernameOf(user)
    await codes.send(ctx, users, { email, purpose: 'confirm' })
    if (!wantsPage(ctx) || ctx.request.input('asks') !== 'proof') {
      const next = { path: PATHS.confirm, words: 'mail_code.sent' }
      return answerDone(ctx, { status: 'code sent' }, next)
    }
    ctx.session.flashOnly(Object.keys(ctx.request.original()))
    ctx.session.flash('success', ctx.i18n.t('mail_code.sent_to', { email }))
    return ctx.response.redirect().back()
  }

  /** Does what `middleware.confirmed()` asks for. */
  async verifyConfirmation(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { codes, users } = await services(ctx)
    const { mail_code: code } = await ctx.request.validateUsing(mailCodeValidator)
    const outcome = await codes.confirms(ctx, users, user, code)
    assertField(outcome !== 'wrong', ctx, 'mail_code', 'mailCode')
    if (outcome === 'gone') {
      const next = { path: PATHS.confirm, words: 'mail_code.gone' }
      return answerRefused(ctx, new ConfirmationRequired(), next)
    }
    await Auth.markConfirmed()
    return answerConfirmed(ctx)
  }
}

async function beginLogin(ctx: HttpContext, codes: MailCodes, users: Users, code: string) {
  const typed = await codes.redeem(ctx, 'login', code)
  assertField(typed !== 'wrong', ctx, 'mail_code', 'mailCode')
  const user = typed === 'gone' ? null : await codes.arrive(ctx, users, typed)
  if (typed === 'gone' || !user) {
    return refuseLogin(ctx)
  }
  const options = { taken: [STEP], methods: ['otp'], remember: typed.remember }
  return answerLogin(ctx, await Auth.loginProven(user, options))
}

async function continueLogin(ctx: HttpContext, codes: MailCodes, code: string) {
  const isSignedIn = await Auth.continueLogin({ mail_code: code })
  if (isSignedIn || !(await pendingStep())) {
    return answerLogin(ctx, isSignedIn)
  }
  assertField(!codes.pending(ctx, 'step'), ctx, 'mail_code', 'mailCode')
  return refuseLogin(ctx)
}

/** @throws {E_ROUTE_NOT_FOUND} unless `signIn` is set, or `isNeeded` says that the feature is needed without it */
async function services(ctx: HttpContext, isNeeded = false) {
  const codes = manager.feature('mailCodes')!
  assertFound(codes.config.signIn || isNeeded, ctx)
  return { codes, users: manager.usersOf() }
}

async function pendingStep() {
  const pending = await Auth.pendingLogin()
  return pending?.step.name === STEP ? pending : null
}

/** The form, with the code in its field that is in the link of a mail. */
function showForm(ctx: HttpContext, codes: MailCodes, purpose: MailCodePurpose) {
  ctx.response.header('Referrer-Policy', 'same-origin')
  const [code = ''] = /^\d{6}$/.exec(ctx.request.qs().code) ?? []
  const pending = codes.pending(ctx, purpose)
  return ctx.view.render('pages/auth/mail_code', {
    path: PATHS[purpose],
    isLogin: purpose !== 'confirm',
    asksAddress: purpose === 'login',
    isAsked: pending !== null,
    isElsewhere: code !== '' && pending === null,
    email: pending?.email ?? typedAddress(ctx),
    code,
  })
}

function refuseLogin(ctx: HttpContext) {
  const error = new InvalidSession('The code does not work any more: ask for another one.')
  return answerRefused(ctx, error, { path: PATHS.login, words: 'mail_code.gone' })
}
