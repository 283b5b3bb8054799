import { hash, randomFillSync, timingSafeEqual } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** 43 characters of 62 are 256 bits; 22 are 130. */
const SECRET_LENGTH = 43
const IDENTIFIER_LENGTH = 22

/** Digits of milliseconds in base 36, until the year 5188. */
const INSTANT_LENGTH = 9

/** Random bytes that nobody has seen yet, each for one character: many at once cost little more than one. */
const pool = Buffer.allocUnsafeSlow(4096)
let used = pool.length

function randomByte() {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used]!
  pool[used++] = 0
  return byte
}

/** Six bits choose a character; the two values beyond the alphabet are drawn again, so that all are as likely. */
function randomText(length: number) {
  let text = ''
  while (text.length < length) {
    text += ALPHABET[randomByte() & 63] ?? ''
  }
  return text
}

/** A fresh secret of at least 256 bits, of `[A-Za-z0-9]`. */
export function generateSecret(): string {
  return randomText(SECRET_LENGTH)
}

/** A fresh public identifier of at least 128 bits, of `[A-Za-z0-9]`. */
export function generateIdentifier(): string {
  return randomText(IDENTIFIER_LENGTH)
}

/**
 * A fresh public identifier with as many random bits, which sorts behind those of
 * before it: of the index of its column only the end is written, in place of a page
 * for each row. Lowercase, because PostgreSQL's order of cases depends on the locale.
 */
export function generateRowIdentifier(): string {
  const instant = Date.now().toString(36).padStart(INSTANT_LENGTH, '0')
  return `${instant}${generateIdentifier()}`
}

/** Whether two hashes are the same, in a time that does not tell how much of them is. */
export function isSameHash(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1')]
  return first.length === second.length && timingSafeEqual(first, second)
}

/** SHA-256 of a secret as 64 hexadecimal digits: the only form in which a secret is stored. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}
