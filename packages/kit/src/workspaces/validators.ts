import vine from '@vinejs/vine'

import { email } from '#auth/credential_rules'
import { MAX_KEY } from '#database/key'
import { SHOWN_NAME, STORABLE_TEXT } from '#database/storable_text'

const key = () => vine.number().withoutDecimals().positive().max(MAX_KEY)

/** Invitations show it to people who know nobody here. */
const name = () => vine.string().trim().minLength(1).maxLength(80).regex(SHOWN_NAME)

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
