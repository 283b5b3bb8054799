import vine from '@vinejs/vine'

/** PostgreSQL cannot store NUL in a text. */
const WITHOUT_NUL = /^[^\0]*$/

const text = (maxLength: number) =>
  vine.string().trim().minLength(1).maxLength(maxLength).regex(WITHOUT_NUL)

/** The document of `POST /api/posts`. */
export const createPostValidator = vine.create({
  data: vine.object({
    attributes: vine.object({
      title: text(255),
      body: text(50_000),
    }),
  }),
})
