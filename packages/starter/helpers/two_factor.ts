import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { generateSync } from 'otplib'

import type User from '#models/user'
import { authManager } from '#starter/helpers/passwords'

/** The code that an authenticator app shows, by another library than the application's. */
export function codeOf(secret: string, { steps = 0 }: { steps?: number } = {}): string {
  return generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + 30 * steps })
}

/** A wrong code: none of those that are valid now. */
export function wrongCodeOf(secret: string): string {
  const valid = [-2, -1, 0, 1, 2].map((steps) => codeOf(secret, { steps }))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find(
    (code) => !valid.includes(code)
  )!
}

/** Turns the second factor of a user on. The code of this moment is used up by it. */
export async function turnOn(user: User): Promise<{ secret: string; recoveryCodes: string[] }> {
  const manager = await authManager()
  const twoFactor = manager.feature('twoFactor')!
  const users = manager.usersOf()
  const sealed = twoFactor.beginSetup(user, users)
  const { secret } = twoFactor.setup(user, users, sealed)!
  const ctx = new HttpContextFactory().create()
  const proof = { sealed, code: codeOf(secret) }
  const recoveryCodes = await twoFactor.enable(user, users, proof, ctx)
  /* What waits for the reply goes on. */
  ctx.response.response.end()
  return { secret, recoveryCodes: recoveryCodes! }
}

/** A code in the wide letters and digits of keyboards of East Asia, with a wide dash. */
export const wide = (code: string) =>
  code.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0))
