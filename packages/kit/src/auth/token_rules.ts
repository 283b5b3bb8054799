import vine from '@vinejs/vine'

/** Seconds that the longest-lived token lives: ten years. */
const MAX_TTL = 10 * 365 * 24 * 60 * 60

/** The name that a person gives a token. */
export const tokenName = () =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(255)
    .regex(/^[^\p{Cc}]*$/u)

/** Seconds that a token works. */
export const tokenLifetime = () => vine.number().withoutDecimals().positive().max(MAX_TTL)
