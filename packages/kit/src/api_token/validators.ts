import vine from '@vinejs/vine'

import { permissions, tokenLifetime, tokenName } from '#auth/credential_rules'

/** `POST /account/tokens` and `POST /api/tokens`. `ttl` is in seconds; without it the token never expires. */
export const apiTokenValidator = vine.withMetaData<{ abilities: string[] }>().create({
  name: tokenName(),
  abilities: permissions('abilities'),
  ttl: tokenLifetime().nullable().optional(),
})
