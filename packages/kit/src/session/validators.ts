import vine from '@vinejs/vine'

import { password } from '#auth/credential_rules'

/** `POST /account/password` */
export const passwordChangeValidator = vine
  .withMetaData<{ person: Record<string, string | null> }>()
  .create({
    current_password: vine.string(),
    password: password().confirmed({ confirmationField: 'password_confirmation' }),
  })
