import type { ApiClient } from '@japa/api-client'

import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import type User from '#models/user'

export const MEDIA_TYPE = 'application/vnd.api+json'

export interface Answer {
  status: number
  document: any
  headers: Record<string, string>
}

/** Sends JSON:API requests of a user to the application's own posts. */
export function caller(client: ApiClient, user: User) {
  return async (method: string, path: string, document?: unknown): Promise<Answer> => {
    const request = client
      .request(path, method)
      .as(user, ['posts:read', 'posts:write'])
      .header('Accept', MEDIA_TYPE)
    if (document !== undefined) {
      request.json(document as object).header('Content-Type', MEDIA_TYPE)
    }
    const response = await request
    const text = response.text()
    return {
      status: response.status(),
      document: text === '' ? null : JSON.parse(text),
      headers: response.headers() as Record<string, string>,
    }
  }
}

/** A post of one user with two comments of another. */
export async function publish() {
  const [author, reader] = (await UserFactory.createMany(2)) as [User, User]
  const post = await PostFactory.merge({ userId: author.id }).create()
  const comments = await CommentFactory.merge({ postId: post.id, userId: reader.id }).createMany(2)
  return { author, reader, post, comments }
}

export async function emptyTables() {
  await Comment.query().delete()
  await Post.query().delete()
}

export const newPost = (more: object = {}) => ({
  data: { type: 'posts', attributes: { title: 'Hello', body: 'World' }, ...more },
})

export const changeOf = (post: Post, more: object = {}) => ({
  data: { type: 'posts', id: String(post.id), attributes: { title: 'After' }, ...more },
})
