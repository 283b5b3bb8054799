import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'
import { otherProofs, provingPassword } from '#auth/account_proof'

/** `POST /account/email` */
export const emailChangeValidator = vine.create({
  email: email(),
  current_password: provingPassword(),
  ...otherProofs(),
})
