/**
 * Text that every database can store and compare: PostgreSQL refuses a statement with NUL in a
 * text, and a lone surrogate is replaced on the way, so that what is read back is another text. As
 * a regular expression, for validators.
 */
export const STORABLE_TEXT = /^[^\0\p{Surrogate}]*$/u

/** Whether a text can be stored. One that cannot is in no row, so looking for it finds nothing. */
export const isStorable = (text: string): boolean => STORABLE_TEXT.test(text)
