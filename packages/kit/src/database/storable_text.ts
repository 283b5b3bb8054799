/**
 * Text that every database can store and compare: PostgreSQL refuses a statement with NUL in a
 * text, and a lone surrogate is replaced on the way, so that what is read back is another text. As
 * a regular expression, for validators.
 */
export const STORABLE_TEXT = /^[^\0\p{Surrogate}]*$/u

/**
 * A name that other people are shown, or none: one line that can be seen, keeps its direction, and covers no other by a pile
 * of marks. As a regular expression, for validators.
 */
export const SHOWN_NAME =
  /^(?=$|.*[^\s\p{DI}\u2800])(?!.*[\p{M}\p{DI}]{9})[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\p{Cs}]*$/u

/** Whether a text can be stored. One that cannot is in no row, so looking for it finds nothing. */
export const isStorable = (text: string): boolean => STORABLE_TEXT.test(text)
