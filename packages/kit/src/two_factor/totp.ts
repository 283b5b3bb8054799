import type { Encryption } from '@adonisjs/core/encryption'
import { Secret, TOTP } from 'otpauth'
import encodeQR from 'qr'

import type { Owner } from '#auth/users'
import { isExpired } from '#database/records'
import { hashSecret, randomText, readTyped } from '#security/secrets'

/** Seconds that a code is shown. Every app knows SHA-1 with six digits; some ignore other choices. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 }
/** Steps that the clock of a phone may be off, to either side (RFC 6238 §5.2). */
const DRIFT = 1

/** A fresh secret, in Base32. Its 20 bytes are as many as SHA-1 gives (RFC 4226 §4, R6). */
export const generateTotpSecret = (): string => new Secret({ size: 20 }).base32

/** The address that an authenticator app reads from a QR code ("Key Uri Format" of Google Authenticator). */
export function totpUri(secret: string, { issuer, account }: { issuer: string; account: string }) {
  return new TOTP({ ...PARAMETERS, issuer, label: account, secret }).toString()
}

/** A QR code in SVG, dark on nothing: it needs a light ground. Its border is ISO/IEC 18004 §6.3.8's. */
export function qrCodeSvg(text: string): string {
  return encodeQR(text, 'svg', { ecc: 'medium', border: 4 })
}

/** The whole periods since 1970 (RFC 6238 §4.2) that a code belongs to; null for a wrong code. @param now epoch milliseconds */
export function totpStepOf(secret: string, code: string, now: number = Date.now()): number | null {
  if (!/^\d{6}$/.test(code)) {
    return null
  }
  const totp = new TOTP({ ...PARAMETERS, secret })
  const distance = totp.validate({ token: code, timestamp: now, window: DRIFT })
  return distance === null ? null : totp.counter({ timestamp: now }) + distance
}

/** Milliseconds that somebody may take to set their app up. */
const LIFETIME = 30 * 60 * 1000

/** `expiresAt` is in epoch milliseconds. */
type Sealed = { secret: string; expiresAt: number }

/** What an authenticator app needs. It is known to the user alone. */
export interface TwoFactorSetup {
  /** In Base32, to be typed in. */
  secret: string
  /** The `otpauth://` address, for a link. */
  uri: string
  /** The address as a QR code, in SVG. */
  qrCode: string
}

/**
 * A fresh secret, encrypted for its owner, to be kept in the session in which they set their app up:
 * a secret that somebody has seen in another session is never turned on.
 */
export function sealSetup(encryption: Encryption, owner: Owner): string {
  const content: Sealed = { secret: generateTotpSecret(), expiresAt: Date.now() + LIFETIME }
  return encryption.encrypt(content, { purpose: purposeOf(owner) })
}

/** The secret that was sealed for this owner; null when it has expired or is none. */
export function openSetup(encryption: Encryption, owner: Owner, sealed: unknown): string | null {
  const content =
    typeof sealed === 'string' ? encryption.decrypt<Sealed>(sealed, purposeOf(owner)) : null
  return content && !isExpired(content.expiresAt) ? content.secret : null
}

const purposeOf = ({ userId, provider }: Owner) => `two_factor_setup:${provider}:${userId}`

/** Digits and letters that are not mistaken for each other on paper (Crockford's Base32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const COUNT = 10
/** Six groups of four are 120 bits: enough for a plain hash (NIST SP 800-63B §5.1.2.2: 112). */
const GROUPS = 6
const GROUP_LENGTH = 4

/** Fresh recovery codes in plain text, e.g. `7k2m-9xqp-04bt-vw3h-c5nd-8grz`. */
export function generateRecoveryCodes(): string[] {
  const group = () => randomText(GROUP_LENGTH, ALPHABET)
  return Array.from({ length: COUNT }, () => Array.from({ length: GROUPS }, group).join('-'))
}

/** The form in which a code is stored. It does not matter how somebody spells it. */
export function hashRecoveryCode(code: string): string {
  const letters = readTyped(code).toLowerCase()
  return hashSecret(letters.replaceAll('o', '0').replace(/[il]/g, '1'))
}
