import vine, { SimpleMessagesProvider } from '@vinejs/vine'

import { email, password } from '#auth/credential_rules'

/** PostgreSQL cannot store NUL in a text. */
const WITHOUT_NUL = /^[^\0]*$/

/** `POST /register` */
export const registerValidator = vine.create({
  fullName: vine.string().trim().maxLength(255).regex(WITHOUT_NUL).nullable().optional(),
  email: email().unique({ table: 'users', column: 'email' }),
  password: password().confirmed({ confirmationField: 'password_confirmation' }),
})
registerValidator.messagesProvider = new SimpleMessagesProvider({
  'confirmed': 'The two passwords are not the same',
  'database.unique': 'The {{ field }} has already been taken',
})

/** `POST /login`. Whether the password could ever have been set is nobody's business. */
export const loginValidator = vine.create({
  email: email(),
  password: vine.string(),
})
