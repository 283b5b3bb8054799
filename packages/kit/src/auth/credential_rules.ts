import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import vine from '@vinejs/vine'
import type { FieldContext } from '@vinejs/vine/types'

import { PASSWORD_MAX_LENGTH, countCharacters } from '#auth/users'
import { weaknessOf } from '#auth/weak_passwords'

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

/**
 * Refuses passwords that are easy to guess: the most used ones, those made of
 * the person's own name or address, and those that the service of
 * `config/auth.ts` knows to be public. Personal are the fields `email` and
 * `fullName`, and the texts of the validator's metadata `person`.
 */
const passwordStrength = vine.createRule(
  async (value, _, field) => {
    if (!field.isValid) {
      return
    }
    const text = value as string
    const weakness = weaknessOf(text, personalTexts(field)) ?? (await breachOf(text))
    if (weakness) {
      field.report(REASONS[weakness], weakness, field)
    }
  },
  { isAsync: true }
)

const REASONS = {
  commonPassword: 'This is one of the most used passwords',
  personalPassword:
    'This password is made of your name, your address or the name of this application',
  breachedPassword: 'This password has been made public by a data breach',
}

/** Names that are easy to guess: those of the person, and that of the application. */
function personalTexts({ data, meta }: FieldContext): string[] {
  const { email: address, fullName } = data ?? {}
  const name: unknown = app.config.get('app.appName')
  return [address, fullName, name, ...Object.values(meta.person ?? {})].filter(
    (text) => typeof text === 'string'
  )
}

/** A service that does not answer refuses nobody. */
async function breachOf(text: string): Promise<'breachedPassword' | null> {
  const { config } = await app.container.make('auth_manager')
  try {
    return (await config.isBreachedPassword?.(text)) ? 'breachedPassword' : null
  } catch (error) {
    logger.error({ err: error }, 'Cannot ask whether a password is public')
    return null
  }
}

/** A password exactly as typed: nothing is trimmed. */
export const password = () => vine.string().use(passwordLength()).use(passwordStrength())
