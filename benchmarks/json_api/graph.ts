/* 1,000 posts with their author, three comments each, and the comments' authors. */

export const POSTS = 1000

export interface User {
  id: number
  fullName: string
}

export interface Comment {
  id: number
  body: string
  createdAt: string
  author: User
}

export interface Post {
  id: number
  title: string
  body: string
  createdAt: string
  author: User
  comments: Comment[]
}

const CREATED_AT = '2026-01-02T03:04:05.000Z'

export function plainPosts(): Post[] {
  const users = Array.from({ length: 50 }, (_, id): User => ({ id, fullName: `User ${id}` }))
  return Array.from({ length: POSTS }, (_, id): Post => ({
    id,
    title: `Post ${id}`,
    body: 'Lorem ipsum dolor sit amet. '.repeat(8),
    createdAt: CREATED_AT,
    author: users[id % 50]!,
    comments: [0, 1, 2].map((n) => ({
      id: id * 3 + n,
      body: 'Consectetur adipiscing elit. '.repeat(3),
      createdAt: CREATED_AT,
      author: users[(id + n) % 50]!,
    })),
  }))
}

/** The same graph as models of the app, never stored. */
export async function lucidPosts() {
  const { DateTime } = await import('luxon')
  const { default: PostModel } = await import('#models/post')
  const { default: CommentModel } = await import('#models/comment')
  const { default: UserModel } = await import('#models/user')
  const createdAt = DateTime.fromISO(CREATED_AT)

  const users = new Map<number, InstanceType<typeof UserModel>>()
  const userOf = ({ id, fullName }: User) => {
    const user = users.get(id) ?? new UserModel().fill({ id, fullName, createdAt } as never)
    users.set(id, user)
    return user
  }
  return plainPosts().map(({ author, comments, ...post }) => {
    const row = new PostModel().fill({ ...post, createdAt, userId: author.id } as never)
    row.$setRelated('author', userOf(author) as never)
    row.$setRelated(
      'comments',
      comments.map(({ author: commenter, ...comment }) => {
        const columns = { ...comment, createdAt, postId: post.id, userId: commenter.id }
        const related = new CommentModel().fill(columns as never)
        related.$setRelated('author', userOf(commenter) as never)
        return related
      }) as never
    )
    return row
  })
}
