import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const IV_LENGTH = 12
const TAG_LENGTH = 16
const INFO = 'successor of a refresh token'

/**
 * Encrypts what a refresh token was rotated for, with a key that is derived from the token
 * itself. The row of the token has only its hash, so the row alone tells nothing.
 *
 * @param rowId the row that the text belongs to: it opens in no other
 */
export function seal(value: unknown, refreshToken: string, rowId: string): string {
  const iv = randomBytes(IV_LENGTH)
  const cipher = createCipheriv(CIPHER, keyOf(refreshToken), iv).setAAD(Buffer.from(rowId))
  const text = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]
  return Buffer.concat([iv, cipher.getAuthTag(), ...text]).toString('base64url')
}

/** What was sealed; null when the token is another one, or the text was altered. */
export function unseal<Value>(sealed: string, refreshToken: string, rowId: string): Value | null {
  const bytes = Buffer.from(sealed, 'base64url')
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(refreshToken), bytes.subarray(0, IV_LENGTH), {
      authTagLength: TAG_LENGTH,
    })
      .setAAD(Buffer.from(rowId))
      .setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH))
    const text = [decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH)), decipher.final()]
    return JSON.parse(Buffer.concat(text).toString())
  } catch {
    return null
  }
}

/** A refresh token is 256 random bits, so that no slow derivation is needed (RFC 5869 §3.3). */
function keyOf(refreshToken: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', refreshToken, '', INFO, 32))
}
