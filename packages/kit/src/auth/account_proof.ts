import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from '#auth/facade'
import type { UserOf } from '#auth/authenticators'
import { fieldError } from '#http/words'

/** What a form has to show that whoever is signed in is still there: one of them. */
export interface Proof {
  password?: string
  /** Of the app that is the second factor. */
  code?: string
  recovery_code?: string
  /** The browser's answer with a passkey. */
  response?: { id: string } & Record<string, unknown>
}

/** Proof that the person who is signed in is the one who asks. */
export class AccountProof {
  /** What a person can show beside their password. */
  async waysOf(user: UserOf) {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    const secondFactor = manager.feature('twoFactor')
    const passkeys = await manager.feature('passkeys')?.list(user, users)
    return {
      twoFactor: Boolean(await secondFactor?.isOn(user, users)),
      passkeys: Boolean(passkeys?.length),
      mailCode: manager.feature('mailCodes')?.isOffered ?? false,
      social: await connectedProviders(user),
    }
  }

  /**
   * Requires a proof, which also counts for `middleware.confirmed()`. Failures
   * count like those of a login.
   *
   * @param passwordField the form's field of the password, for the message
   * @throws {E_VALIDATION_ERROR} when the proof is wrong
   * @throws {Throttled} when too many attempts have failed
   */
  async demand(
    ctx: HttpContext,
    user: UserOf,
    proof: Proof,
    passwordField = 'password'
  ): Promise<void> {
    const { password = '' } = proof
    if (proof.password === undefined) {
      if (proof.code !== undefined || proof.recovery_code !== undefined) {
        return demandSecondFactor(ctx, proof)
      }
      if (proof.response) {
        return demandPasskey(ctx, user, proof.response)
      }
    }
    await assertProven(Auth.confirm({ password }), ctx, passwordField, 'currentPassword')
  }
}

/** Names of the providers that a person is connected with: the sign-in there confirms, on the page for it. */
async function connectedProviders(user: UserOf): Promise<string[]> {
  const manager = await app.container.make('auth_manager')
  const identities = await manager.feature('social')?.list(user, manager.usersOf())
  return identities?.map(({ name }) => name) ?? []
}

async function assertProven(
  proven: Promise<boolean>,
  ctx: HttpContext,
  field: string,
  rule: string
): Promise<void> {
  if (!(await proven)) {
    throw fieldError(ctx, field, rule)
  }
}

async function demandSecondFactor(ctx: HttpContext, { code, recovery_code }: Proof) {
  const proven = Auth.confirm({ two_factor_code: code, recovery_code })
  const field = code === undefined ? 'recovery_code' : 'code'
  await assertProven(proven, ctx, field, 'secondFactor')
}

async function demandPasskey(ctx: HttpContext, user: UserOf, answer: { id: string }) {
  await assertProven(isPasskeyOf(user, answer, ctx), ctx, 'response', 'passkey')
  await Auth.markConfirmed()
}

async function isPasskeyOf(user: UserOf, answer: { id: string }, ctx: HttpContext) {
  const manager = await app.container.make('auth_manager')
  const users = manager.usersOf()
  const owner = await manager.feature('passkeys')?.verify('confirm', users, answer, ctx)
  return Boolean(owner) && users.identify(owner) === users.identify(user)
}
