import vine from '@vinejs/vine'

import { STORABLE_TEXT } from 'adonis-auth-kit/database'

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

/** The document of a new comment; its post is a relationship. */
export const createCommentValidator = vine.create({
  data: vine.object({
    attributes: vine.object({ body: text(5_000) }),
  }),
})

/** An attribute that may be left out, but is no null: the body parser makes one of an empty text. */
const change = (name: string, maxLength: number) =>
  text(maxLength)
    .optional()
    .requiredWhen((field) => Object.hasOwn(field.parent, name))

/** The document of `PATCH /api/posts/:id`: what is left out stays. */
export const updatePostValidator = vine.create({
  data: vine.object({
    attributes: vine
      .object({
        title: change('title', 255),
        body: change('body', 50_000),
      })
      .optional(),
  }),
})
