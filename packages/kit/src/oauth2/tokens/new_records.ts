import type { AccessTokenRecord, AuthorizationCodeRecord } from '#oauth2/tokens/token_store'
import { generateRowIdentifier, generateSecret, hashSecret } from '#security/secrets'

type Fields<Stored, Required extends keyof Stored> = Partial<Stored> & Pick<Stored, Required>

/** JWTs count in seconds: rows do not outlive them by a fraction. */
export function wholeSecond(instant: number): number {
  return Math.floor(instant / 1000) * 1000
}

/** An access token that is not stored yet. @param lifetime seconds */
export function newAccessToken(
  fields: Fields<AccessTokenRecord, 'scopes'>,
  lifetime: number
): AccessTokenRecord {
  const createdAt = wholeSecond(Date.now())
  return {
    jti: generateRowIdentifier(),
    userId: null,
    provider: null,
    clientId: null,
    resource: null,
    name: null,
    grantId: null,
    context: null,
    dpopJkt: null,
    lastUsedAt: null,
    revokedAt: null,
    ...fields,
    createdAt,
    expiresAt: createdAt + lifetime * 1000,
  }
}

/** An authorization code, and its record that is not stored yet. @param lifetime seconds */
export function newCode(
  fields: Fields<AuthorizationCodeRecord, 'userId' | 'provider' | 'clientId' | 'scopes'>,
  lifetime: number
): { code: string; record: AuthorizationCodeRecord } {
  const code = generateSecret()
  const createdAt = Date.now()
  const record = {
    id: generateRowIdentifier(),
    codeHash: hashSecret(code),
    redirectUri: null,
    resource: null,
    codeChallenge: null,
    codeChallengeMethod: null,
    grantId: null,
    authentication: null,
    dpopJkt: null,
    redeemedAt: null,
    accessTokenId: null,
    revokedAt: null,
    ...fields,
    createdAt,
    expiresAt: createdAt + lifetime * 1000,
  }
  return { code, record }
}
