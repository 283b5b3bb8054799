import { type JWTVerifyGetKey, jwtVerify } from 'jose'

import type { OriginName } from '#auth/features'
import { assertOr } from '#process/assert_or'
import { isObject } from '#process/objects'
import { CLOCK_SKEW } from '#social/providers/claims'

/** The event that a logout token tells of (OpenID Connect Back-Channel Logout 1.0 §2.4). */
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Keys of these are published; an HMAC would be keyed by what everybody knows, or by the client's secret. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/** Seconds that a token may live: it is remembered for as long, and whoever has a domain can be the provider. */
const MAX_LIFETIME = 86_400

/** What a provider says has ended. */
export interface LogoutToken extends OriginName {
  /** Accepted once, until it expires (epoch milliseconds). */
  jti: string
  expiresAt: number
}

/** OpenID Connect Back-Channel Logout 1.0 §2.6. @throws {Error} for a token that is not valid */
export async function readLogoutToken(
  token: string,
  keys: JWTVerifyGetKey,
  { issuer, clientId }: { issuer: string; clientId: string }
): Promise<LogoutToken> {
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer,
    audience: clientId,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_SKEW,
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  })
  const { typ = 'JWT' } = protectedHeader
  const { sub, sid, events, nonce, iat, jti, exp } = payload
  const event = (events as Record<string, unknown> | null)?.[EVENT]
  const isLogout = /^(application\/)?(logout\+jwt|jwt)$/i.test(typ)
  assertOr(isLogout, Error, 'the "typ" of the logout token is that of something else')
  assertOr(isObject(event), Error, 'the logout token has no logout event')
  assertOr(nonce === undefined, Error, 'the logout token has a nonce, as an ID token does')
  assertOr(iat! <= Date.now() / 1000 + CLOCK_SKEW, Error, 'the logout token is of the future')
  const isNamed = typeof jti === 'string' && isName(sub) && isName(sid) && (sub || sid)
  assertOr(isNamed, Error, 'the logout token names neither a session nor a person')
  assertOr(exp! - iat! <= MAX_LIFETIME, Error, 'the logout token lives longer than a day')
  const expiresAt = (exp! + CLOCK_SKEW) * 1000
  return { issuer, subject: sub ?? null, sid: (sid as string) ?? null, jti, expiresAt }
}

const isName = (value: unknown) =>
  value === undefined || (typeof value === 'string' && value !== '')
