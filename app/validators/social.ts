import vine from '@vinejs/vine'

/** How somebody begins to sign in through a provider. */
export const socialLoginValidator = vine.create({
  remember: vine.boolean().optional(),
  /** Where to go after it: a path of this application. */
  return_to: vine.string().maxLength(2000).optional(),
})
