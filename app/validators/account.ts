import vine from '@vinejs/vine'

import { email, password } from 'adonis-auth-kit/auth/credential_rules'
import { STORABLE_TEXT } from 'adonis-auth-kit/database/storable_text'
import { otherProofs, provingPassword } from '#validators/proof'

/** Seconds that the longest-lived token lives: ten years. */
const MAX_TTL = 10 * 365 * 24 * 60 * 60

/** `POST /account` */
export const profileValidator = vine.create({
  fullName: vine.string().trim().maxLength(255).regex(STORABLE_TEXT).nullable().optional(),
})

/** `POST /account/password` */
export const passwordChangeValidator = vine
  .withMetaData<{ person: Record<string, string | null> }>()
  .create({
    current_password: vine.string(),
    password: password().confirmed({ confirmationField: 'password_confirmation' }),
  })

/** `POST /account/email` */
export const emailChangeValidator = vine.create({
  email: email(),
  current_password: provingPassword(),
  ...otherProofs(),
})

/** `POST /account/delete` and `POST /confirm` */
export const proofValidator = vine.create({ password: provingPassword(), ...otherProofs() })

const tokenName = () =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(255)
    .regex(/^[^\p{Cc}]*$/u)

/** `POST /account/access-tokens`. `ttl` is in seconds. */
export const accessTokenValidator = vine.withMetaData<{ scopes: string[] }>().create({
  name: tokenName(),
  scopes: vine
    .array(vine.enum((field) => field.meta.scopes))
    .minLength(1)
    .distinct(),
  ttl: vine.number().withoutDecimals().positive().max(MAX_TTL),
})

/** `POST /account/tokens` and `POST /api/tokens`. `ttl` is in seconds; without it the token never expires. */
export const apiTokenValidator = vine.withMetaData<{ abilities: string[] }>().create({
  name: tokenName(),
  abilities: vine
    .array(vine.enum((field) => field.meta.abilities))
    .minLength(1)
    .distinct(),
  ttl: vine.number().withoutDecimals().positive().max(MAX_TTL).nullable().optional(),
})
