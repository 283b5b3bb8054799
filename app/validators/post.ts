import vine from '@vinejs/vine'

import { STORABLE_TEXT } from '#support/storable_text'

const text = (maxLength: number) =>
  vine.string().trim().minLength(1).maxLength(maxLength).regex(STORABLE_TEXT)

/** What a writer decides of a post. */
export const postFields = () => ({ title: text(255), body: text(50_000) })

/** The document of `POST /api/posts`. */
export const createPostValidator = vine.create({
  data: vine.object({
    attributes: vine.object(postFields()),
  }),
})
