/**
 * A name is shown to who approves the client. Without control characters, and
 * without those that nobody sees or that turn the text around: zero-width,
 * bidirectional, line separators and fillers.
 */
const NAME =
  /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]{1,255}$/u

/** Whether a text can be the name of a client: 1 to 255 characters that everybody can see. */
export function isClientName(text: string): boolean {
  return NAME.test(text) && text.trim() !== ''
}
