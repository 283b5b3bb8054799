import { constant, key, object, oneOf, orNull, text } from 'adonis-auth-kit/openapi'

/** What `toProfile()` of a user returns. */
export const user = object({ id: key, email: text, full_name: orNull(text) })

/** Who is signed in now, or the step that a sign-in still takes. */
export const signedIn = oneOf(
  object({ user }),
  object({}, { two_factor: constant(true), mail_code: constant(true) })
)
