/*
|--------------------------------------------------------------------------
| JSON:API
|--------------------------------------------------------------------------
|
|   node --import @poppinss/ts-exec benchmarks/json_api.ts
|
| 1. 1,000 posts with author and three comments each, all included, from plain
|    objects: a resource against a loop written by hand, both with
|    JSON.stringify. The resource may take twice the time.
| 2. The same over Lucid: statements and milliseconds for 50 and for 2,000
|    posts. The statements have to be equal.
|
*/

process.env.NODE_ENV = 'test'
await import('reflect-metadata')

const { DateTime } = await import('luxon')
const { Ignitor } = await import('@adonisjs/core')
const { APP_ROOT, IMPORTER } = await import('../bin/ignitor.js')

const ROUNDS = 300

interface User {
  id: number
  name: string
}

interface Comment {
  id: number
  body: string
  author: User
}

interface Post {
  id: number
  title: string
  body: string
  createdAt: string
  author: User
  comments: Comment[]
}

const users = Array.from({ length: 50 }, (_, id): User => ({ id, name: `User ${id}` }))
const posts = Array.from({ length: 1000 }, (_, id): Post => ({
  id,
  title: `Post ${id}`,
  body: 'Lorem ipsum dolor sit amet. '.repeat(8),
  createdAt: '2026-01-02T03:04:05.000Z',
  author: users[id % 50]!,
  comments: [0, 1, 2].map((n) => ({
    id: id * 3 + n,
    body: 'Consectetur adipiscing elit. '.repeat(3),
    author: users[(id + n) % 50]!,
  })),
}))

/** What someone would write who knows this one document. */
function byHand() {
  const seen = new Set<string>()
  const included: object[] = []
  const author = (user: User) => {
    if (!seen.has(`users ${user.id}`)) {
      seen.add(`users ${user.id}`)
      included.push({ type: 'users', id: String(user.id), attributes: { name: user.name } })
    }
    return { data: { type: 'users', id: String(user.id) } }
  }

  const data = posts.map((post) => ({
    type: 'posts',
    id: String(post.id),
    attributes: { title: post.title, body: post.body, createdAt: post.createdAt },
    relationships: {
      author: author(post.author),
      comments: {
        data: post.comments.map((comment) => {
          if (!seen.has(`comments ${comment.id}`)) {
            seen.add(`comments ${comment.id}`)
            included.push({
              type: 'comments',
              id: String(comment.id),
              attributes: { body: comment.body },
              relationships: { author: author(comment.author) },
            })
          }
          return { type: 'comments', id: String(comment.id) }
        }),
      },
    },
  }))
  return JSON.stringify({ data, included })
}

async function plainObjects() {
  const { JsonResource } = await import('#json_api/json_resource')

  class UserResource extends JsonResource<User> {
    static hidden = ['id']
  }
  class CommentResource extends JsonResource<Comment> {
    static hidden = ['id']

    toRelationships() {
      return { author: UserResource }
    }
  }
  class PostResource extends JsonResource<Post> {
    static hidden = ['id']

    toRelationships() {
      return {
        author: UserResource,
        comments: () => CommentResource.collection(this.resource.comments),
      }
    }
  }

  return async () =>
    JSON.stringify(
      await PostResource.collection(posts).include('author', 'comments.author').serialize()
    )
}

function median(times: number[]) {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
}

/** Turn by turn, so that whatever else the machine does strikes both. */
async function compare() {
  const byResource = await plainObjects()
  const times = { loop: [] as number[], resource: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    byHand()
    const middle = performance.now()
    await byResource()
    times.loop.push(middle - start)
    times.resource.push(performance.now() - middle)
  }

  const loop = median(times.loop)
  const resource = median(times.resource)
  process.stdout.write(`by hand   ${loop!.toFixed(2)} ms\n`)
  process.stdout.write(
    `resource  ${resource!.toFixed(2)} ms, ${(resource! / loop!).toFixed(2)} times\n`
  )
}

async function overLucid() {
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const { default: PostModel } = await import('#models/post')
  const { default: PostResource } = await import('#resources/post_resource')

  const client = await db.transaction()
  const now = DateTime.utc()
  const createdAt = now.toSQL({ includeOffset: false })
  try {
    const insert = async (table: string, rows: object[]) => {
      for (let start = 0; start < rows.length; start += 100) {
        await client
          .insertQuery()
          .table(table)
          .multiInsert(rows.slice(start, start + 100))
      }
      const ids = await client.from(table).select('id').orderBy('id', 'desc').limit(rows.length)
      return ids.map(({ id }) => id as number)
    }
    const userIds = await insert(
      'users',
      users.map(({ id }) => ({
        email: `benchmark-${id}-${now.toMillis()}@example.com`,
        password: '',
        created_at: createdAt,
      }))
    )
    const postIds = await insert(
      'posts',
      Array.from({ length: 2000 }, (_, n) => ({
        ...{
          user_id: userIds[n % 50],
          title: `Post ${n}`,
          body: posts[0]!.body,
          created_at: createdAt,
        },
      }))
    )
    await insert(
      'comments',
      postIds.flatMap((postId, index) =>
        [1, 2, 3].map((n) => ({
          ...{
            post_id: postId,
            user_id: userIds[(index + n) % 50],
            body: 'x',
            created_at: createdAt,
          },
        }))
      )
    )

    let statements = 0
    client.knexClient.on('query', () => statements++)
    for (const size of [50, 2000]) {
      const serialize = async () => {
        const rows = await PostModel.query({ client }).orderBy('id', 'desc').limit(size)
        return PostResource.collection(rows).include('author', 'comments.author').serialize()
      }
      await serialize()
      statements = 0
      const start = performance.now()
      await serialize()
      const time = performance.now() - start
      process.stdout.write(
        `${size} posts over Lucid: ${statements} statements, ${time.toFixed(0)} ms\n`
      )
    }
  } finally {
    await client.rollback()
  }
}

const app = new Ignitor(APP_ROOT, { importer: IMPORTER })
  .tap((application) => {
    application.booting(async () => {
      await import('#start/env')
    })
  })
  .createApp('console')
await app.init()
await app.boot()
await compare()
await overLucid()
await app.terminate()
