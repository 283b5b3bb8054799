import vine from '@vinejs/vine'

import { tokenLifetime, tokenName } from '#auth/credential_rules'

/** `POST /account/tokens` and `POST /api/tokens`. `ttl` is in seconds; without it the token never expires. */
export const apiTokenValidator = vine.withMetaData<{ abilities: string[] }>().create({
  name: tokenName(),
  abilities: vine
    .array(vine.enum((field) => field.meta.abilities))
    .minLength(1)
    .distinct(),
  ttl: tokenLifetime().nullable().optional(),
})
