import { randomInt } from 'node:crypto'

/** Consonants alone, so that no code is a word or has a letter that is taken for a digit (RFC 8628 §6.1). */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'

/** 20 to the power of 8 is 34 bits, against the few guesses that a person has (RFC 8628 §5.1). */
const LENGTH = 8

const USER_CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`)

/** A fresh user code, without its dash. */
export function generateUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
}

/** As people read it: `WDJB-MJHT`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`
}

/** What a person typed as a user code without its dash, in whatever case; null when it cannot be one. */
export function readUserCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s\p{P}]/gu, '')
  return USER_CODE.test(code) ? code : null
}
