import vine from '@vinejs/vine'

import { tokenLifetime, tokenName } from '#auth/token_rules'

/** `POST /account/access-tokens`. `ttl` is in seconds. */
export const accessTokenValidator = vine.withMetaData<{ scopes: string[] }>().create({
  name: tokenName(),
  scopes: vine
    .array(vine.enum((field) => field.meta.scopes))
    .minLength(1)
    .distinct(),
  ttl: tokenLifetime(),
})
