import vine from '@vinejs/vine'

/** Six digits, which some apps show as two groups. */
const code = () =>
  vine
    .string()
    .parse((value) => (typeof value === 'string' ? value.replace(/\s/g, '') : value))
    .regex(/^\d{6}$/)

const recoveryCode = () => vine.string().trim().minLength(1).maxLength(100)

/** `POST /login/two-factor`: one of both. */
export const twoFactorLoginValidator = vine.create({
  code: code().optional().requiredIfMissing('recovery_code'),
  recovery_code: recoveryCode().optional(),
})

/** `POST /account/two-factor/enable` */
export const twoFactorSetupValidator = vine.create({ code: code() })

/** `POST /confirm`: one of them. */
export const confirmationValidator = vine.create({
  password: vine.string().optional().requiredIfMissing(['code', 'recovery_code']),
  code: code().optional(),
  recovery_code: recoveryCode().optional(),
})
