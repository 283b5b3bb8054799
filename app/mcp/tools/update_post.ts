import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'
import { findPost, mayChange } from '#services/posts'
import { postFields } from '#validators/post'

@inject()
export default class UpdatePost extends Tool<typeof UpdatePost> {
  static override name = 'update_post'
  static override title = 'Change a post'
  static override description =
    'Replaces the title or the body of a post that the user wrote, by the id from my_posts.'

  static override annotations = {
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  }
  static override scopes = ['posts:write'] as const

  static override schema() {
    const { title, body } = postFields()
    return vine.create({
      id: vine.number().withoutDecimals().positive(),
      title: title.optional(),
      body: body.optional(),
    })
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle({ id, ...fields }: Arguments<typeof UpdatePost>) {
    const user = this.ctx.auth.getUserOrFail()
    const post = await findPost(id)
    if (!post || !(await mayChange(user, post))) {
      return Response.error(`The user has written no post ${id}. Call my_posts to find ids.`)
    }
    await post.merge(fields).save()
    return Response.text(`Post ${id} is changed.`)
  }
}
