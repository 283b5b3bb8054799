import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import type { UserOf } from '#auth/authenticators'

/** Value of the session with the secret of an app that is being set up, encrypted. */
const SETUP = 'two_factor_setup'

/** What a signed-in person does with their own second factor. Every change is a security event, of which they are told by mail. */
export class AccountTwoFactor {
  /** Whether the second factor is on, and how many recovery codes are left. */
  async state(user: UserOf): Promise<{ isOn: boolean; codesLeft: number }> {
    const { twoFactor, users } = await services()
    return {
      isOn: await twoFactor.isOn(user, users),
      codesLeft: await twoFactor.recoveryCodesLeft(user, users),
    }
  }

  /** Begins to set an app up; null when the second factor is on already. */
  async begin(ctx: HttpContext, user: UserOf) {
    const { twoFactor, users } = await services()
    if (await twoFactor.isOn(user, users)) {
      return null
    }
    ctx.session.put(SETUP, twoFactor.begin(user, users))
    return this.setup(ctx, user)
  }

  /** The app that is being set up in this session; null when there is none. */
  async setup(ctx: HttpContext, user: UserOf) {
    const { twoFactor, users } = await services()
    return twoFactor.setup(user, users, ctx.session.get(SETUP))
  }

  /** Turns the second factor on; null when the code is wrong. */
  async enable(ctx: HttpContext, user: UserOf, code: string): Promise<string[] | null> {
    const { twoFactor, users } = await services()
    const sealed = ctx.session.get(SETUP)
    const codes = await twoFactor.enable(user, users, { sealed, code }, ctx)
    if (codes) {
      ctx.session.forget(SETUP)
    }
    return codes
  }

  /** Replaces the recovery codes; null while the second factor is off. */
  async renewCodes(ctx: HttpContext, user: UserOf): Promise<string[] | null> {
    const { twoFactor, users } = await services()
    return twoFactor.renewRecoveryCodes(user, users, ctx)
  }

  async disable(ctx: HttpContext, user: UserOf): Promise<void> {
    const { twoFactor, users } = await services()
    await twoFactor.disable(user, users, ctx)
  }
}

/** Turns the second factor of a person off, who has lost it; false when there was none. */
export async function resetSecondFactor(user: UserOf): Promise<boolean> {
  const { twoFactor, users } = await services()
  return twoFactor.forget(user, users)
}

async function services() {
  const manager = await app.container.make('auth_manager')
  return { twoFactor: manager.feature('twoFactor')!, users: manager.usersOf() }
}
