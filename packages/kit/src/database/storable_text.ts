/** Text that every database stores as it is: PostgreSQL refuses NUL, and a lone surrogate is replaced on the way. For validators. */
export const STORABLE_TEXT = /^[^\0\p{Surrogate}]*$/u

/** Whether a text can be stored. One that cannot is in no row, so looking for it finds nothing. */
export function isStorable(text: string): boolean {
  return STORABLE_TEXT.test(text)
}
