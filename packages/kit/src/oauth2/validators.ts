import vine from '@vinejs/vine'

import { permissions, tokenLifetime, tokenName } from '#auth/credential_rules'

/** Seconds that a database's clock can still count; 68 years. */
const MAX_TTL = 2 ** 31 - 1

const ttl = vine.number({ strict: true }).withoutDecimals().positive().max(MAX_TTL)

/** `POST /account/access-tokens`. `ttl` is in seconds. */
export const accessTokenValidator = vine.withMetaData<{ scopes: string[] }>().create({
  name: tokenName(),
  scopes: permissions('scopes'),
  ttl: tokenLifetime(),
})

/** The body of `POST /oauth/personal-access-tokens`. */
export const personalAccessTokenValidator = vine.create({
  name: tokenName(),
  scopes: vine.array(vine.string().maxLength(255)).maxLength(100).nullable().optional(),
  ttl: ttl.nullable().optional(),
})
