import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { currentUser } from '#auth/protection'
import { AccountTwoFactor } from '#two_factor/account_two_factor'
import { wantsPage } from '#http/wants_page'
import { fieldError } from '#http/words'
import { showOnce, shownOnce } from '#http/shown_once'
import { twoFactorSetupValidator } from '#two_factor/validators'

const HOME = '/account/two-factor'
const CODES = `${HOME}/recovery-codes`

/** The second factor of the signed-in person. All of it needs a confirmation. */
@inject()
export default class TwoFactorController {
  constructor(protected twoFactor: AccountTwoFactor) {}

  /** Whether it is on. */
  async show(ctx: HttpContext) {
    const state = await this.twoFactor.state(await currentUser(ctx))
    ctx.response.header('Cache-Control', 'no-store')
    return wantsPage(ctx)
      ? ctx.view.render('pages/account/two_factor/show', state)
      : ctx.response.ok({ enabled: state.isOn, recovery_codes_left: state.codesLeft })
  }

  /** Begins to set an authenticator app up. */
  async store(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const setup = await this.twoFactor.begin(ctx, user)
    ctx.response.header('Cache-Control', 'no-store')
    if (wantsPage(ctx)) {
      return ctx.response.redirect().toPath(setup ? `${HOME}/setup` : HOME)
    }
    return setup
      ? ctx.response.created({ secret: setup.secret, uri: setup.uri, qr_code: setup.qrCode })
      : ctx.response.conflict({ message: 'The second factor is on already' })
  }

  /** The QR code, and the form for the first code. */
  async edit(ctx: HttpContext) {
    const setup = await this.twoFactor.setup(ctx, await currentUser(ctx))
    ctx.response.header('Cache-Control', 'no-store')
    return setup
      ? ctx.view.render('pages/account/two_factor/setup', { setup })
      : ctx.response.redirect().toPath(HOME)
  }

  /** Turns it on with the first code. The recovery codes are shown once. */
  async enable(ctx: HttpContext) {
    const user = await currentUser(ctx)
    const { code } = await ctx.request.validateUsing(twoFactorSetupValidator)
    const codes = await this.twoFactor.enable(ctx, user, code)
    if (!codes) {
      throw fieldError(ctx, 'code', 'secondFactor')
    }
    return showCodes(ctx, codes)
  }

  /** Replaces the recovery codes. The new ones are shown once. */
  async renew(ctx: HttpContext) {
    const codes = await this.twoFactor.renewCodes(ctx, await currentUser(ctx))
    if (codes) {
      return showCodes(ctx, codes)
    }
    return wantsPage(ctx)
      ? ctx.response.redirect().toPath(HOME)
      : ctx.response.conflict({ message: 'The second factor is off' })
  }

  /** The new recovery codes, once. */
  async codes(ctx: HttpContext) {
    const codes = shownOnce(ctx, CODES)
    ctx.response.header('Cache-Control', 'no-store')
    return codes === null
      ? ctx.response.redirect().toPath(HOME)
      : ctx.view.render('pages/account/two_factor/codes', { codes: codes.split('\n') })
  }

  /** Turns it off. Doing it twice is no mistake. */
  async destroy(ctx: HttpContext) {
    await this.twoFactor.disable(ctx, await currentUser(ctx))
    if (!wantsPage(ctx)) {
      return ctx.response.ok({ enabled: false })
    }
    ctx.session.flash('success', ctx.i18n.t('two_factor.disabled'))
    return ctx.response.redirect().toPath(HOME)
  }
}

/** A program gets them in this answer, a person on the page that follows. */
function showCodes(ctx: HttpContext, codes: string[]) {
  ctx.response.header('Cache-Control', 'no-store')
  if (!wantsPage(ctx)) {
    return ctx.response.ok({ recovery_codes: codes })
  }
  showOnce(ctx, CODES, codes.join('\n'))
  return ctx.response.redirect().toPath(CODES)
}
