import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'
import { code } from '#auth/account_proof'

/** `POST /login/code`. After the password it asks for another code, and needs no address. */
export const mailCodeRequestValidator = vine.create({
  email: email(),
  remember: vine.boolean().optional(),
})

export const mailCodeValidator = vine.create({ mail_code: code() })
