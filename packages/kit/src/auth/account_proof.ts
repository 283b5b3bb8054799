import { inject } from '@adonisjs/core'
import vine from '@vinejs/vine'
import type { Infer } from '@vinejs/vine/types'
import type { HttpContext } from '@adonisjs/core/http'
import app from '@adonisjs/core/services/app'

import { Auth } from '#auth/facade'
import type { UserOf } from '#auth/guard_types'
import { assertField } from '#http/words'
import { readTyped } from '#security/secrets'

/** Six digits, which some apps show as two groups. */
export const code = () =>
  vine
    .string()
    .parse((value) => (typeof value === 'string' ? readTyped(value) : value))
    .regex(/^\d{6}$/)

export const recoveryCode = () => vine.string().trim().minLength(1).maxLength(100)

/** The browser's passkey answer: an object, or its JSON in a form field. */
export const passkeyAnswer = () =>
  vine
    .object({ id: vine.string() })
    .allowUnknownProperties()
    .parse((value) => (typeof value === 'string' ? readJson(value) : value))

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export const otherProofs = () => ({
  /** Of the second factor's app. */
  code: code().optional(),
  recovery_code: recoveryCode().optional(),
  /** The code that was mailed to the account's address for this browser. */
  mail_code: code().optional(),
  response: passkeyAnswer().optional(),
})

export const provingPassword = () =>
  vine.string().optional().requiredIfMissing(Object.keys(otherProofs()))

/** `POST /account/delete` and `POST /confirm` */
export const proofValidator = vine.create({ password: provingPassword(), ...otherProofs() })

/** Proof in a form that the signed-in person is present: one of these. */
export interface Proof extends Partial<Infer<typeof proofValidator>> {}

/** Proof that the person who is signed in is the one who asks. */
export class AccountProof {
  /**
   * What a person can use besides their password, and the `username` by which password managers find that.
   * `social`: a sign-in at a provider.
   */
  async waysOf(user: UserOf) {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    const passkeys = await manager.feature('passkeys')?.list(user, users)
    return {
      username: users.usernameOf(user),
      twoFactor: Boolean(await manager.feature('twoFactor')?.isOn(user, users)),
      passkeys: Boolean(passkeys?.length),
      mailCode: manager.feature('mailCodes')?.config.signIn ?? false,
      social: (await manager.feature('social')?.identities.connected(user, users)) ?? [],
    }
  }

  /**
   * Requires a proof, which also counts for `middleware.confirmed()`. Failures count like a login's.
   * @param passwordField the form's field of the password, for the message
   * @throws {E_VALIDATION_ERROR} when the proof is wrong
   * @throws {Throttled} when too many attempts have failed
   * @throws {InvalidSession} when the session has ended meanwhile: passwords wait for each other
   */
  async demand(ctx: HttpContext, user: UserOf, proof: Proof, passwordField = 'password') {
    const manager = await app.container.make('auth_manager')
    const users = manager.usersOf()
    const { password } = proof
    const other: Proof = password === undefined ? proof : {}
    if (other.code !== undefined || other.recovery_code !== undefined) {
      const credentials = { two_factor_code: other.code, recovery_code: other.recovery_code }
      const field = other.code === undefined ? 'recovery_code' : 'code'
      assertField(await Auth.confirm(credentials), ctx, field, 'secondFactor')
    } else if (other.mail_code !== undefined) {
      const codes = manager.feature('mailCodes')
      const outcome =
        codes?.config.signIn && (await codes.confirms(ctx, users, user, other.mail_code))
      assertField(outcome === 'right', ctx, 'mail_code', 'mailCode')
      await Auth.markConfirmed()
    } else if (other.response) {
      const owner = await manager.feature('passkeys')?.verify('confirm', users, other.response, ctx)
      const isOwn = Boolean(owner) && users.identify(owner) === users.identify(user)
      assertField(isOwn, ctx, 'response', 'passkey')
      await Auth.markConfirmed()
    } else {
      const isRight = await Auth.confirm({ password: password ?? '' })
      assertField(isRight, ctx, passwordField, 'currentPassword')
    }
    await ctx.authenticator.settle(() => {})
  }
}

/** A controller that asks for a proof, which the container hands over. */
@inject()
export class ProofController {
  constructor(protected proof: AccountProof) {}
}
