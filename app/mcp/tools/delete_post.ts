import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'
import { assertMayChange, findPost } from '#services/posts'

/** For the button of the card, which a person presses; models are not offered it. */
@inject()
export default class DeletePost extends Tool<typeof DeletePost> {
  static override name = 'delete_post'
  static override title = 'Delete a post'
  static override description = 'Deletes a post that the user wrote, for good.'
  static override annotations = { destructiveHint: true, openWorldHint: false }
  static override scopes = ['posts:write'] as const
  static override callableBy = ['app'] as const

  static override schema() {
    return vine.create({ id: vine.number().withoutDecimals().positive() })
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle({ id }: Arguments<typeof DeletePost>) {
    const user = this.ctx.auth.getUserOrFail()
    const post = await findPost(id)
    if (!post) {
      return Response.error(`There is no post ${id}.`)
    }
    await assertMayChange(user, post)
    await post.delete()
    return Response.text(`Post ${id} is deleted.`)
  }
}
