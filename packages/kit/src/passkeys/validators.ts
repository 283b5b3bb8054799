import vine from '@vinejs/vine'

import { passkeyAnswer } from '#auth/account_proof'

const NAME = /^[^\p{Cc}\p{Surrogate}]*$/u
const name = () => vine.string().trim().minLength(1).maxLength(255).regex(NAME)

/** `POST /login/passkey` */
export const passkeyLoginValidator = vine.create({
  response: passkeyAnswer(),
  remember: vine.boolean().optional(),
})

/** `POST /confirm/passkey` */
export const passkeyConfirmationValidator = vine.create({ response: passkeyAnswer() })
/** `POST /account/passkeys` */
export const newPasskeyValidator = vine.create({ name: name(), response: passkeyAnswer() })
/** `POST /account/passkeys/:id` */
export const passkeyNameValidator = vine.create({ name: name() })
