import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import vine from '@vinejs/vine'

import { type Arguments, Response, Tool } from 'adonis-auth-kit/mcp'
import { writePost } from '#services/posts'
import { postFields } from '#validators/post'

@inject()
export default class CreatePost extends Tool<typeof CreatePost> {
  static override name = 'create_post'
  static override title = 'Write a post'
  static override description = 'Publishes a blog post in the name of the user. Returns its id.'
  static override annotations = { destructiveHint: false, openWorldHint: false }
  static override scopes = ['posts:write'] as const

  static override schema() {
    return vine.create(postFields())
  }

  static override outputSchema() {
    return {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
    } as const
  }

  constructor(protected ctx: HttpContext) {
    super()
  }

  async handle(fields: Arguments<typeof CreatePost>) {
    const { id } = await writePost(this.ctx.auth.getUserOrFail(), fields)
    return Response.structure({ id })
  }
}
