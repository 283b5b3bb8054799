import vine from '@vinejs/vine'

import { email, password } from 'adonis-auth-kit/auth'
import { SHOWN_NAME } from 'adonis-auth-kit/database'

/** Posts and comments show it to others. A name of spaces is none. */
const fullName = () =>
  vine
    .string()
    .trim()
    .maxLength(255)
    .regex(SHOWN_NAME)
    .transform((typed) => typed || null)
    .nullable()
    .optional()

/** `full_name`, as answers call it; forms and older clients say `fullName`. */
const name = () => ({ full_name: fullName(), fullName: fullName() })

/** `POST /register` */
export const registerValidator = vine.create(
  vine
    .object({
      ...name(),
      email: email().unique({ table: 'users', column: 'email' }),
      password: password().confirmed({ confirmationField: 'password_confirmation' }),
    })
    .toCamelCase()
)

/** `POST /login`. Whether the password could ever have been set is nobody's business. */
export const loginValidator = vine.create({
  email: email(),
  password: vine.string(),
  remember: vine.boolean().optional(),
})

/** `POST /account` */
export const profileValidator = vine.create(vine.object(name()).toCamelCase())
