import type { HttpContext } from '@adonisjs/core/http'

import manager from '#auth/service'
import { currentUser } from '#auth/protection'
import { answerDone, pathTo, shownOnce, showOnce, wantsPage } from '#http/pages'
import { assertField } from '#http/words'
import { twoFactorSetupValidator } from '#two_factor/validators'

const HOME = 'account.two_factor.two_factor.show'
const SETUP_PAGE = 'account.two_factor.two_factor.edit'
const CODES = 'account.two_factor.two_factor.codes'
/** Value of the session with the encrypted secret of an app that is being set up. */
const SETUP = 'two_factor_setup'

/** The second factor of the signed-in person. All of it needs a confirmation. */
export default class TwoFactorController {
  async show(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    const isOn = await twoFactor.isOn(user, users)
    const codesLeft = await twoFactor.recoveryCodesLeft(user, users)
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/two_factor/show', { isOn, codesLeft })
      : ctx.response.ok({ enabled: isOn, recovery_codes_left: codesLeft })
  }

  async store(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    const isOn = await twoFactor.isOn(user, users)
    if (!isOn) {
      ctx.session.put(SETUP, twoFactor.beginSetup(user, users))
    }
    const setup = isOn ? null : twoFactor.setup(user, users, ctx.session.get(SETUP))
    if (wantsPage(ctx)) {
      return ctx.response.redirect().toPath(pathTo(setup ? SETUP_PAGE : HOME))
    }
    return setup
      ? ctx.response.created({ secret: setup.secret, uri: setup.uri, qr_code: setup.qrCode })
      : ctx.response.conflict({ message: 'The second factor is on already' })
  }

  /** The QR code, and the form for the first code. Of two clicks at once, one leads here when the other has made the recovery codes. */
  async edit(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    const setup = twoFactor.setup(user, users, ctx.session.get(SETUP))
    return setup ? ctx.view.render('pages/account/two_factor/setup', { setup }) : this.codes(ctx)
  }

  async enable(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    const { code } = await ctx.request.validateUsing(twoFactorSetupValidator)
    const setup = { sealed: ctx.session.get(SETUP), code }
    const made = await twoFactor.enable(user, users, setup, ctx)
    /* Of the first of two clicks, whose answer the browser has not waited for. */
    const codes = made ?? shownOnce(ctx, CODES)?.split('\n')
    assertField(codes !== undefined, ctx, 'code', 'secondFactor')
    ctx.session.forget(SETUP)
    return showCodes(ctx, codes)
  }

  async renew(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    const codes = await twoFactor.renewRecoveryCodes(user, users, ctx)
    if (codes) {
      return showCodes(ctx, codes)
    }
    return wantsPage(ctx)
      ? ctx.response.redirect().toPath(pathTo(HOME))
      : ctx.response.conflict({ message: 'The second factor is off' })
  }

  async codes(ctx: HttpContext) {
    const codes = shownOnce(ctx, CODES)
    return codes === null
      ? ctx.response.redirect().toPath(pathTo(HOME))
      : ctx.view.render('pages/account/two_factor/codes', { codes: codes.split('\n') })
  }

  /** Turns it off. Doing it twice is no mistake. */
  async destroy(ctx: HttpContext) {
    const { twoFactor, user, users } = await open(ctx)
    await twoFactor.disable(user, users, ctx)
    return answerDone(ctx, { enabled: false }, { path: pathTo(HOME), words: 'two_factor.disabled' })
  }
}

async function open(ctx: HttpContext) {
  const user = await currentUser(ctx)
  return { twoFactor: manager.feature('twoFactor')!, user, users: manager.usersOf() }
}

/** A program gets them in this answer, a person on the page that follows. */
function showCodes(ctx: HttpContext, codes: string[]) {
  if (!wantsPage(ctx)) {
    return ctx.response.ok({ recovery_codes: codes })
  }
  showOnce(ctx, CODES, codes.join('\n'))
  return ctx.response.redirect().toPath(pathTo(CODES))
}
