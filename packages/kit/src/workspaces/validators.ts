import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'
import { MAX_KEY } from '#database/key'
import { STORABLE_TEXT } from '#database/storable_text'

const key = () => vine.number().withoutDecimals().positive().max(MAX_KEY)

/** One line that can be seen, keeps its direction and covers no other by a pile of marks: invitations show it to people who know nobody here. */
const name = () =>
  vine
    .string()
    .trim()
    .minLength(1)
    .maxLength(80)
    .regex(/^(?=.*[^\s\p{DI}\u2800])(?!.*[\p{M}\p{DI}]{9})[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}\p{Cs}]*$/u)

/** `POST /workspaces` and `POST /w/:slug` */
export const workspaceValidator = vine.create({ name: name() })

/** `POST /workspaces/switch`: nothing for the workspace of one's own */
export const choiceValidator = vine.create({ workspace_id: key().nullable().optional() })

/** `POST /w/:slug/invitations` */
export const invitationValidator = vine
  .withMetaData<{ roles: string[] }>()
  .create({ email: email(), role: vine.enum((field) => field.meta.roles) })

/** `POST /w/:slug/members/:id` */
export const roleValidator = vine
  .withMetaData<{ roles: string[] }>()
  .create({ role: vine.enum((field) => field.meta.roles) })

const line = (length: number) =>
  vine.string().trim().minLength(1).maxLength(length).regex(STORABLE_TEXT)

/** `POST /w/:slug/providers` */
export const providerValidator = vine.create({
  domain: line(253),
  issuer: line(255),
  client_id: line(255),
  client_secret: line(1000),
})

/** `POST /w/:slug/providers/:id/enforce` */
export const enforcementValidator = vine.create({ forbid_password: vine.boolean() })

/** `POST /w/:slug/transfer` */
export const transferValidator = vine.create({ member: key() })
