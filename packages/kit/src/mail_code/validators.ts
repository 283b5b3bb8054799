import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'

/** `POST /login/code`. After the password it asks for another code, and needs no address. */
export const mailCodeRequestValidator = vine.create({
  email: email(),
  remember: vine.boolean().optional(),
})

/** Six digits, as they are shown: maybe in two groups. */
export const mailCodeValidator = vine.create({
  mail_code: vine
    .string()
    .parse((value) => (typeof value === 'string' ? value.replace(/\s/g, '') : value))
    .regex(/^\d{6}$/),
})
