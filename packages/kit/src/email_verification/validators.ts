import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'
import { otherProofs, provingPassword } from '#auth/proof_validators'

/** `POST /account/email` */
export const emailChangeValidator = vine.create({
  email: email(),
  current_password: provingPassword(),
  ...otherProofs(),
})
