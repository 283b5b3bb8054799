import { Bouncer } from '@adonisjs/bouncer'
import { errors } from '@adonisjs/lucid'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'

import { JsonApiError } from 'adonis-auth-kit/json_api'
import Post from '#models/post'
import type User from '#models/user'
import PostPolicy from '#policies/post_policy'

const EXCERPT_LENGTH = 200

/** A post as AI clients see it. An author is a name and nothing more. */
export function summaryOf(post: Post) {
  return {
    id: post.id,
    title: post.title,
    author: post.author.fullName,
    createdAt: post.createdAt.toISO()!,
    excerpt: post.body.slice(0, EXCERPT_LENGTH),
  }
}

/** A post as Markdown. */
export function markdownOf(post: Post): string {
  const byline = [post.author.fullName, post.createdAt.toISODate()].filter(Boolean).join(', ')
  return `# ${post.title}\n\n${byline}\n\n${post.body}\n`
}

/** The post of an id, with its author; null when there is none. */
export async function findPost(id: string | number): Promise<Post | null> {
  try {
    const post = await Post.findByParam(String(id))
    await post.load('author')
    return post
  } catch (error) {
    if (error instanceof errors.E_ROW_NOT_FOUND) {
      return null
    }
    throw error
  }
}

/** The newest posts, with their authors; those that have the words, when there are some. */
export function newestPosts(limit: number, words?: string): Promise<Post[]> {
  const pattern = `%${words?.replace(/[!%_]/g, '!$&')}%`
  return Post.query()
    .preload('author')
    .if(words !== undefined, (query) =>
      query.whereRaw(
        `(lower(title) like lower(?) escape '!' or lower(body) like lower(?) escape '!')`,
        [pattern, pattern]
      )
    )
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .exec()
}

/** Whether the user may change the post. */
export function mayChange(user: User, post: Post): Promise<boolean> {
  return new Bouncer(user).with(PostPolicy).allows('change', post)
}

/** @throws {JsonApiError} 403 unless the user may change the post */
export async function assertMayChange(user: User, post: Post): Promise<void> {
  if (!(await mayChange(user, post))) {
    throw new JsonApiError({ status: 403, detail: 'You may not change this post.' })
  }
}

/** @throws {E_AUTHORIZATION_FAILURE} 403 unless the user may write posts here */
export async function writePost(
  user: User,
  fields: { title: string; body: string },
  options?: ModelAdapterOptions
): Promise<Post> {
  await new Bouncer(user).with(PostPolicy).authorize('write')
  return Post.create({ ...fields, userId: user.id }, options)
}

/** The newest posts of a user. */
export function postsOf(userId: number, limit: number): Promise<Post[]> {
  return Post.query()
    .where('user_id', userId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .exec()
}

/** As many of the newest posts as are looked at for suggestions. */
const SUGGESTED = 100

/** Ids of new posts that begin with what was typed, for completion. */
export async function suggestIds(typed: string): Promise<string[]> {
  const posts = await Post.query().select('id').orderBy('id', 'desc').limit(SUGGESTED)
  return posts.map(({ id }) => String(id)).filter((id) => id.startsWith(typed))
}
