import vine from '@vinejs/vine'

/** Six digits, which some apps show as two groups. */
export const code = () =>
  vine
    .string()
    .parse((value) => (typeof value === 'string' ? value.replace(/\s/g, '') : value))
    .regex(/^\d{6}$/)

export const recoveryCode = () => vine.string().trim().minLength(1).maxLength(100)

/** What the browser answered with a passkey: an object of a program, or its JSON in a field of a form. */
export const passkeyAnswer = () =>
  vine
    .object({ id: vine.string() })
    .allowUnknownProperties()
    .parse((value) => (typeof value === 'string' ? readJson(value) : value))

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** What proves without a password that whoever is signed in is still there. */
export const otherProofs = () => ({
  code: code().optional(),
  recovery_code: recoveryCode().optional(),
  response: passkeyAnswer().optional(),
})

/** A password, where a person may prove in another way that it is them. */
export const provingPassword = () =>
  vine.string().optional().requiredIfMissing(Object.keys(otherProofs()))

/** `POST /account/delete` and `POST /confirm` */
export const proofValidator = vine.create({ password: provingPassword(), ...otherProofs() })
