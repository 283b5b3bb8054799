import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

import { hashSecret } from '#security/secrets'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import type { Client } from '#oauth2/clients/client'
import type { Binding } from '#oauth2/dpop/dpop'
import type { TokenResponse } from '#oauth2/tokens/token_issuer'
import type { RefreshTokenRecord, Replay } from '#oauth2/tokens/token_store'

/** What is sealed: the response, when its access token expires (epoch milliseconds), and the key that was proved. */
type Successor = { response: TokenResponse; expiresAt: number; jkt: string | null }

/**
 * The replay window of refresh tokens: for some seconds the client that rotated a token gets the same
 * successor again, because the answer was lost or two requests refreshed at once. There is never a second
 * successor, and once the first has been used, the old token counts as stolen.
 */
export class RefreshReplay {
  constructor(protected server: AuthorizationServer) {}

  /** What a rotation stores of its response; null without a replay window. */
  keep(
    token: RefreshTokenRecord,
    presented: string,
    client: Client | null,
    successor: Successor,
    now: number
  ): Replay | null {
    const { sourceClientGracePeriod, refreshTokenGracePeriod } = this.server.config
    const isForeign = client !== null && client.source !== null
    const period = isForeign ? sourceClientGracePeriod : refreshTokenGracePeriod
    const seconds = client?.refreshGracePeriod ?? period
    return seconds > 0
      ? { sealed: seal(successor, presented, token.id), until: now + seconds * 1000 }
      : null
  }

  /** Whether a rotated token is inside the replay window of the client that presents it. */
  isOpen(token: RefreshTokenRecord, client: Client | null, now: number): boolean {
    const isOwn = token.revokedAt === null && token.clientId === (client?.id ?? null)
    return isOwn && now < (token.replay?.until ?? 0)
  }

  /** The first answer once more; null when its token was used or revoked, or for another key. */
  async again(token: RefreshTokenRecord, presented: string, binding: Binding | null, now: number) {
    const kept = token.replay && unseal<Successor>(token.replay.sealed, presented, token.id)
    if (!kept || kept.jkt !== (binding?.jkt ?? null)) {
      return null
    }
    const tokenHash = hashSecret(kept.response.refresh_token!)
    const successor = await this.server.tokens.findRefreshToken(tokenHash)
    if (successor?.record.rotatedAt !== null || successor.record.revokedAt !== null) {
      return null
    }
    const expiresIn = Math.max(0, Math.floor((kept.expiresAt - now) / 1000))
    return { ...kept.response, expires_in: expiresIn }
  }
}

const CIPHER = 'aes-256-gcm'
const IV_LENGTH = 12
const TAG_LENGTH = 16
const TEXT_AT = IV_LENGTH + TAG_LENGTH
const INFO = 'successor of a refresh token'

/**
 * Encrypts what a refresh token was rotated for, with a key of the token, whose row has only its hash.
 *
 * @param rowId the row that the text belongs to: it opens in no other
 */
export function seal(value: unknown, refreshToken: string, rowId: string): string {
  const iv = randomBytes(IV_LENGTH)
  const cipher = createCipheriv(CIPHER, keyOf(refreshToken), iv).setAAD(Buffer.from(rowId))
  const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...text]).toString('base64url')
}

/** The sealed data; null for another token or an altered text. */
export function unseal<Value>(sealed: string, refreshToken: string, rowId: string): Value | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const [iv, tag] = [bytes.subarray(0, IV_LENGTH), bytes.subarray(IV_LENGTH, TEXT_AT)]
    const options = { authTagLength: TAG_LENGTH }
    const decipher = createDecipheriv(CIPHER, keyOf(refreshToken), iv, options)
    decipher.setAAD(Buffer.from(rowId)).setAuthTag(tag)
    const text = [decipher.update(bytes.subarray(TEXT_AT)), decipher.final()]
    return JSON.parse(Buffer.concat(text).toString())
  } catch {
    return null
  }
}

/** A refresh token is 256 random bits, so that no slow derivation is needed (RFC 5869 §3.3). */
function keyOf(refreshToken: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', refreshToken, '', INFO, 32))
}
