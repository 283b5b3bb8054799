import vine from '@vinejs/vine'

import { code, recoveryCode } from '#auth/account_proof'

/** `POST /login/two-factor`: one of both. */
export const twoFactorLoginValidator = vine.create({
  code: code().optional().requiredIfMissing('recovery_code'),
  recovery_code: recoveryCode().optional(),
})

/** `POST /account/two-factor/enable` */
export const twoFactorSetupValidator = vine.create({ code: code() })
