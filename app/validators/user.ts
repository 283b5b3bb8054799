import vine, { SimpleMessagesProvider } from '@vinejs/vine'

import { PASSWORD_MAX_LENGTH, countCharacters } from '#auth/users'

/** PostgreSQL cannot store NUL in a text. */
const WITHOUT_NUL = /^[^\0]*$/

const email = () => vine.string().trim().toLowerCase().maxLength(254).email()

const PASSWORD_MIN_LENGTH = 8

/** Vine's own rules count UTF-16 code units, of which an emoji has two. */
const passwordLength = vine.createRule((value, _, field) => {
  const length = countCharacters(value as string)
  if (length < PASSWORD_MIN_LENGTH) {
    field.report(
      'The {{ field }} field must have at least {{ min }} characters',
      'minLength',
      field,
      {
        min: PASSWORD_MIN_LENGTH,
      }
    )
  }
  if (length > PASSWORD_MAX_LENGTH) {
    field.report(
      'The {{ field }} field must not be greater than {{ max }} characters',
      'maxLength',
      field,
      {
        max: PASSWORD_MAX_LENGTH,
      }
    )
  }
})

/** A password as its owner typed it: nothing is trimmed. */
export const password = () => vine.string().use(passwordLength())

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

/** `POST /password/email` */
export const passwordEmailValidator = vine.create({ email: email() })

/** `POST /password/reset`. Forms ask for the password twice; programs need not. */
export const passwordResetValidator = vine.create({
  email: email(),
  token: vine.string(),
  password: password(),
  password_confirmation: vine.string().sameAs('password').optional(),
})
passwordResetValidator.messagesProvider = new SimpleMessagesProvider({
  sameAs: 'The two passwords are not the same',
})
