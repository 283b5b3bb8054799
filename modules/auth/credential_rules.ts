import vine from '@vinejs/vine'

import { PASSWORD_MAX_LENGTH, countCharacters } from '#auth/users'

const PASSWORD_MIN_LENGTH = 8

/** An e-mail address in lower case, because accounts are looked up by it. */
export const email = () => vine.string().trim().toLowerCase().maxLength(254).email()

/** Vine's own rules count UTF-16 code units; an emoji has two. */
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

/** A password exactly as typed: nothing is trimmed. */
export const password = () => vine.string().use(passwordLength())
