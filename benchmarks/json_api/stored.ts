/* Posts with three comments each in the database of a benchmark, and the ways to read them. */

import type { QueryClientContract } from '@adonisjs/lucid/types/database'

import { loop } from './loop.js'

const USERS = 50
const BATCH = 100

/** What every row has; rows of the common workspace are seen by code outside of requests. */
const timeOf = (index: number) =>
  new Date(Date.UTC(2026, 0, 2) + index * 61_000).toISOString().slice(0, 19).replace('T', ' ')
const row = (index: number) => ({
  created_at: timeOf(index),
  updated_at: timeOf(index),
})
const owned = (index: number) => ({
  ...row(index),
  // feature: workspaces
  workspace_id: 0,
  // /feature
})

export async function seedPosts(posts: number) {
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const insert = async (table: string, rows: object[]) => {
    for (let start = 0; start < rows.length; start += BATCH) {
      await db.table(table).multiInsert(rows.slice(start, start + BATCH))
    }
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
  await insert(
    'users',
    numbers(USERS).map((id) => ({
      ...row(id),
      id: id + 1,
      email: `u${id}@bench.test`,
      full_name: `User ${id}`,
      password: '-',
      is_active: true,
    }))
  )
  await insert(
    'posts',
    numbers(posts).map((id) => ({
      ...owned(id),
      id: id + 1,
      title: `Post ${id}`,
      body: 'Lorem ipsum dolor sit amet. '.repeat(8),
      user_id: (id % USERS) + 1,
    }))
  )
  await insert(
    'comments',
    numbers(posts * 3).map((id) => ({
      ...owned(id),
      id: id + 1,
      body: 'Consectetur adipiscing elit. '.repeat(3),
      post_id: Math.floor(id / 3) + 1,
      user_id: (id % USERS) + 1,
    }))
  )
}

/** A database with 1,000 posts. */
async function open() {
  const { migrate } = await import('../application.js')
  await migrate()
  await seedPosts(1000)
  const { default: db } = await import('@adonisjs/lucid/services/db')
  return db.connection()
}

let opened: ReturnType<typeof open> | undefined
const stored = () => (opened ??= open())

/** Four statements without models, and their rows put together. */
async function readByHand(db: QueryClientContract) {
  const posts = await db.from('posts').orderBy('id').limit(1000)
  const comments = await db.from('comments').whereIn(
    'post_id',
    posts.map(({ id }) => id)
  )
  const people = new Set([...posts, ...comments].map((one) => one.user_id))
  const users = await db.from('users').whereIn('id', [...people])
  const byId = new Map(users.map(({ id, full_name: fullName }) => [id, { id, fullName }]))
  const byPost = new Map<number, any[]>()
  for (const comment of comments) {
    const shown = { ...comment, createdAt: comment.created_at, author: byId.get(comment.user_id) }
    const siblings = byPost.get(comment.post_id)
    siblings ? siblings.push(shown) : byPost.set(comment.post_id, [shown])
  }
  return posts.map((post) => ({
    ...post,
    createdAt: post.created_at,
    author: byId.get(post.user_id),
    comments: byPost.get(post.id) ?? [],
  }))
}

const toIso = (text: string) => `${text.slice(0, 10)}T${text.slice(11)}.000+00:00`

export async function byHand() {
  const db = await stored()
  return async () => loop(await readByHand(db), toIso)
}

/** Lucid's models and preloads, and the loop over them. */
export async function byModels() {
  await stored()
  const { default: Post } = await import('#models/post')
  return async () => {
    const posts = await Post.query()
      .orderBy('id')
      .limit(1000)
      .preload('author')
      .preload('comments', (query) => void query.preload('author'))
    return loop(posts, (value: any) => value.toISO())
  }
}

export async function byResources(render: (posts: any[]) => () => Promise<string>) {
  await stored()
  const { default: Post } = await import('#models/post')
  const { hydrateQuickly } = await import('#kit/database/quick_query')
  return async () => render(await hydrateQuickly(Post.query()).orderBy('id').limit(1000))()
}
