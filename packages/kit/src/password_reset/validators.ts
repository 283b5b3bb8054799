import vine from '@vinejs/vine'

import { email, password } from '#auth/credential_rules'

/** `POST /password/email` */
export const passwordEmailValidator = vine.create({ email: email() })

/** `POST /password/reset`. The confirmation is checked when it is sent: forms send it, programs may omit it. */
export const passwordResetValidator = vine.create({
  email: email(),
  token: vine.string(),
  password: password(),
  password_confirmation: vine.string().sameAs('password').optional(),
})
