import { hash, randomInt } from 'node:crypto'

import type { MaybePromise } from '#process/maybe_promise'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 43 characters of 62 are 256 bits; 22 are 130. */
const SECRET_LENGTH = 43
const IDENTIFIER_LENGTH = 22
/** Digits of milliseconds in base 36, until the year 5188. */
const INSTANT_LENGTH = 9

export const randomText = (length: number, alphabet: string = ALPHABET): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')

/** A code that somebody typed, without spaces and dashes. Keyboards of East Asia also have wide digits and letters. */
export const readTyped = (typed: string): string =>
  typed.replace(/[\s\p{P}]/gu, '').replace(/[！-～]/g, (wide) => wide.normalize('NFKC'))

/** A fresh secret of at least 256 bits, of `[A-Za-z0-9]`. */
export const generateSecret = (): string => randomText(SECRET_LENGTH)

/** A fresh public identifier of at least 128 bits, of `[A-Za-z0-9]`. */
export const generateIdentifier = (): string => randomText(IDENTIFIER_LENGTH)

/**
 * A public identifier that sorts behind those of before it: of the index of its column only the end
 * is written. Lowercase, because PostgreSQL's order of cases depends on the locale.
 */
export function generateRowIdentifier(): string {
  return Date.now().toString(36).padStart(INSTANT_LENGTH, '0') + generateIdentifier()
}

/** When a row identifier was made, in epoch milliseconds; null for one that does not tell. */
export function instantOf(identifier: string): number | null {
  const tells = identifier.length === INSTANT_LENGTH + IDENTIFIER_LENGTH
  return tells ? Number.parseInt(identifier.slice(0, INSTANT_LENGTH), 36) : null
}

/** SHA-256 of a secret as 64 hexadecimal digits: the only form in which a secret is stored. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

/**
 * Gives a secret to a notifier, whose error may hold it, as that of a mail server which repeats what it refuses, and is logged.
 * @throws {Error} that of the notifier, without the secret
 */
export async function handOver(secret: string, notify: () => MaybePromise<unknown>): Promise<void> {
  try {
    await notify()
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
    const clean = new Error(message.replaceAll(secret, '[secret]'))
    clean.name = name
    clean.stack = stack?.replaceAll(secret, '[secret]')
    throw clean
  }
}
