import vine, { SimpleMessagesProvider } from '@vinejs/vine'

import { password } from '#auth/credential_rules'
import { STORABLE_TEXT } from '#support/storable_text'

/** Seconds that the longest-lived token lives: ten years. */
const MAX_TTL = 10 * 365 * 24 * 60 * 60

/** `POST /account` */
export const profileValidator = vine.create({
  fullName: vine.string().trim().maxLength(255).regex(STORABLE_TEXT).nullable().optional(),
})

/** `POST /account/password` */
export const passwordChangeValidator = vine.create({
  current_password: vine.string(),
  password: password().confirmed({ confirmationField: 'password_confirmation' }),
})
passwordChangeValidator.messagesProvider = new SimpleMessagesProvider({
  confirmed: 'The two passwords are not the same',
})

/** `POST /account/delete` */
export const accountDeletionValidator = vine.create({ password: vine.string() })

/** `POST /account/tokens` and `POST /api/tokens`. `ttl` is in seconds; without it the token never expires. */
export const apiTokenValidator = vine.withMetaData<{ abilities: string[] }>().create({
  name: vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(255)
    .regex(/^[^\p{Cc}]*$/u),
  abilities: vine
    .array(vine.enum((field) => field.meta.abilities))
    .minLength(1)
    .distinct(),
  ttl: vine.number().withoutDecimals().positive().max(MAX_TTL).nullable().optional(),
})
apiTokenValidator.messagesProvider = new SimpleMessagesProvider({
  'abilities.required': 'Choose at least one thing that the token may do',
  'abilities.array.minLength': 'Choose at least one thing that the token may do',
})
