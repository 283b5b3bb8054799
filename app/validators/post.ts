import vine from '@vinejs/vine'

import { STORABLE_TEXT } from '#support/storable_text'

const text = (maxLength: number) =>
  vine.string().trim().minLength(1).maxLength(maxLength).regex(STORABLE_TEXT)

/** The document of `POST /api/posts`. */
export const createPostValidator = vine.create({
  data: vine.object({
    attributes: vine.object({
      title: text(255),
      body: text(50_000),
    }),
  }),
})
