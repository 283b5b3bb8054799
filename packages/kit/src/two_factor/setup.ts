import type { Encryption } from '@adonisjs/core/encryption'

import { isExpired } from '#database/expiry'
import type { FactorOwner } from '#two_factor/database'
import { qrCodeSvg } from '#two_factor/qr_code'
import { generateTotpSecret, totpUri } from '#two_factor/totp'

/** Milliseconds that somebody may take to set their app up. */
const LIFETIME = 30 * 60 * 1000

interface Sealed {
  secret: string
  /** Epoch milliseconds. */
  expiresAt: number
}

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
 * A fresh secret, encrypted for its owner. It is kept in the session in which
 * they set their app up: a secret that somebody has seen in another session is
 * never turned on.
 */
export function sealSetup(encryption: Encryption, owner: FactorOwner): string {
  const content: Sealed = { secret: generateTotpSecret(), expiresAt: Date.now() + LIFETIME }
  return encryption.encrypt(content, { purpose: purposeOf(owner) })
}

/** The secret that was sealed for this owner; null when it has expired or is none. */
export function openSetup(
  encryption: Encryption,
  owner: FactorOwner,
  sealed: unknown
): string | null {
  const content =
    typeof sealed === 'string' ? encryption.decrypt<Sealed>(sealed, purposeOf(owner)) : null
  return content && !isExpired(content.expiresAt) ? content.secret : null
}

/** A secret as authenticator apps take it. */
export function describeSetup(
  secret: string,
  names: { issuer: string; account: string }
): TwoFactorSetup {
  const uri = totpUri(secret, names)
  return { secret, uri, qrCode: qrCodeSvg(uri) }
}

function purposeOf({ userId, provider }: FactorOwner) {
  return `two_factor_setup:${provider}:${userId}`
}
