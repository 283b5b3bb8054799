/** The largest key that an integer column of PostgreSQL holds. */
export const MAX_KEY = 2 ** 31 - 1

/** Whether a text can be the key of a row. PostgreSQL fails on what its column cannot hold. */
export function isKey(text: string): boolean {
  return /^\d{1,10}$/.test(text) && Number(text) <= MAX_KEY
}
