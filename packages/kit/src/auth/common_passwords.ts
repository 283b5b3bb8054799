import { readFileSync } from 'node:fs'

/** Of the list of the package `@zxcvbn-ts/language-common` 4.1.3 (MIT License). */
const FILE = new URL('../../resources/common_passwords.txt', import.meta.url)

/** The most used passwords of eight characters and more, the most used first. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  readFileSync(FILE, 'utf8').trim().split(/\s+/)
)
