import vine from '@vinejs/vine'

/** What the browser answered: an object of a program, or its JSON in a field of a form. */
const answer = () =>
  vine
    .object({ id: vine.string() })
    .allowUnknownProperties()
    .parse((value) => (typeof value === 'string' ? readJson(value) : value))

const name = () =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(255)
    .regex(/^[^\p{Cc}\p{Surrogate}]*$/u)

/** `POST /login/passkey` */
export const passkeyLoginValidator = vine.create({
  response: answer(),
  remember: vine.boolean().optional(),
})

/** `POST /confirm/passkey` */
export const passkeyConfirmationValidator = vine.create({ response: answer() })

/** `POST /account/passkeys` */
export const newPasskeyValidator = vine.create({ name: name(), response: answer() })

/** `POST /account/passkeys/:id` */
export const passkeyNameValidator = vine.create({ name: name() })

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
