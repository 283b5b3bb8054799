import { Secret, TOTP } from 'otpauth'

/** Seconds that a code is shown. */
const PERIOD = 30

/** Bytes: as many as SHA-1 gives (RFC 4226 §4, R6). */
const SECRET_BYTES = 20

/** Steps that the clock of a telephone may be off, to either side (RFC 6238 §5.2). */
const DRIFT = 1

/** Every app knows SHA-1 with six digits; other choices are ignored by some. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: PERIOD }

/** A fresh secret, in Base32. */
export function generateTotpSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32
}

/** The address that an authenticator app reads from a QR code ("Key Uri Format" of Google Authenticator). */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }) {
  return new TOTP({ ...PARAMETERS, issuer, label: account, secret }).toString()
}

/**
 * The time step that a code belongs to; null for a wrong code. A step is the
 * number of whole periods since 1970 (RFC 6238 §4.2).
 *
 * @param now epoch milliseconds
 */
export function totpStepOf(secret: string, code: string, now: number = Date.now()): number | null {
  if (!/^\d{6}$/.test(code)) {
    return null
  }
  const totp = new TOTP({ ...PARAMETERS, secret })
  const distance = totp.validate({ token: code, timestamp: now, window: DRIFT })
  return distance === null ? null : totp.counter({ timestamp: now }) + distance
}
