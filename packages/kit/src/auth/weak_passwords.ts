import { COMMON_PASSWORDS } from '#auth/common_passwords'

/** Characters of a part of a name that counts: shorter ones are in too many words. */
const MIN_PART = 3

/** Letters that have to be left when everything personal is taken out. */
const MIN_REST = 4

/** What makes a password easy to guess; null when nothing that is known here does. */
export function weaknessOf(
  password: string,
  personal: readonly string[]
): 'commonPassword' | 'personalPassword' | null {
  const text = password.toLowerCase()
  if (isCommon(text)) {
    return 'commonPassword'
  }
  return isPersonal(text, personal) ? 'personalPassword' : null
}

/** One of the most used passwords, also with digits and signs around it. */
function isCommon(text: string): boolean {
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  return COMMON_PASSWORDS.has(text) || COMMON_PASSWORDS.has(core)
}

/** Made of parts of a name or an address, and of little else (NIST SP 800-63B §3.1.1.2). */
function isPersonal(text: string, personal: readonly string[]): boolean {
  const parts = personal
    .flatMap((value) => value.toLowerCase().split(/[^\p{L}\p{N}]+/u))
    .filter((part) => part.length >= MIN_PART)
    .sort((one, other) => other.length - one.length)
  const rest = parts.reduce((left, part) => left.replaceAll(part, ' '), text)
  const letters = rest.replace(/[^\p{L}]/gu, '').length
  return rest !== text && letters < MIN_REST
}
