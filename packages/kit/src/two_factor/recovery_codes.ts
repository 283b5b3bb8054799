import { randomInt } from 'node:crypto'

import { hashSecret } from '#security/secrets'

/** Digits and letters that are not mistaken for each other on paper (Crockford's Base32). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const COUNT = 10
/** Six groups of four are 120 bits: enough for a plain hash (NIST SP 800-63B §5.1.2.2: 112). */
const GROUPS = 6
const GROUP_LENGTH = 4

/** Fresh recovery codes in plain text, e.g. `7k2m-9xqp-04bt-vw3h-c5nd-8grz`. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: COUNT }, () => Array.from({ length: GROUPS }, group).join('-'))
}

/** The form in which a code is stored. It does not matter how somebody spells it. */
export function hashRecoveryCode(code: string): string {
  const letters = code.toLowerCase().replace(/[\s-]/g, '')
  return hashSecret(letters.replaceAll('o', '0').replace(/[il]/g, '1'))
}

function group() {
  return Array.from({ length: GROUP_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}
