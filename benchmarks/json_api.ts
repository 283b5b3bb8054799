/*
|--------------------------------------------------------------------------
| JSON:API
|--------------------------------------------------------------------------
|
|   node --import @poppinss/ts-exec benchmarks/json_api.ts
|
| 1,000 posts with their author, three comments each and the comments' authors,
| all included, as text: CPU time of one document, and how it compares to a loop
| written by hand. Each way runs in a process of its own: its first documents
| are "cold" (the mean of the first five), the last ones "warm" (the median).
| "lucid" gets models with their relations loaded, "plain" plain objects.
|
| Below it the statements for 50 and for 2,000 posts, which have to be equal, and
| how much memory the two documents took.
|
*/

import { execFileSync } from 'node:child_process'

const FIRST = 5
const ROUNDS = 60
const POSTS = 1000

interface User {
  id: number
  fullName: string
}

interface Comment {
  id: number
  body: string
  createdAt: string
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

const CREATED_AT = '2026-01-02T03:04:05.000Z'

function plainPosts(): Post[] {
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
async function lucidPosts() {
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

/** What someone would write who knows this one document. */
function loop(posts: any[], timeOf: (value: any) => string) {
  const seen = new Set<string>()
  const included: object[] = []
  const author = (user: any) => {
    if (!seen.has(`users ${user.id}`)) {
      seen.add(`users ${user.id}`)
      const attributes = { fullName: user.fullName }
      included.push({ type: 'users', id: String(user.id), attributes })
    }
    return { data: { type: 'users', id: String(user.id) } }
  }
  const data = posts.map((post) => ({
    type: 'posts',
    id: String(post.id),
    attributes: { title: post.title, body: post.body, createdAt: timeOf(post.createdAt) },
    relationships: {
      author: author(post.author),
      comments: {
        data: post.comments.map((comment: any) => {
          if (!seen.has(`comments ${comment.id}`)) {
            seen.add(`comments ${comment.id}`)
            included.push({
              type: 'comments',
              id: String(comment.id),
              attributes: { body: comment.body, createdAt: timeOf(comment.createdAt) },
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

async function resources() {
  const { JsonResource } = await import('#json_api/json_resource')
  const { toMany, toOne } = await import('#json_api/declared_relationships')

  class UserResource extends JsonResource<User> {
    static hidden = ['id', 'createdAt']
  }
  class CommentResource extends JsonResource<Comment> {
    static hidden = ['id', 'postId', 'userId']

    toRelationships() {
      return { author: toOne(UserResource) }
    }
  }
  class PostResource extends JsonResource<Post> {
    static hidden = ['id', 'userId']

    toRelationships() {
      return { author: toOne(UserResource), comments: toMany(CommentResource) }
    }
  }
  return (posts: any[]) => async () =>
    JSON.stringify(
      await PostResource.collection(posts).include('author', 'comments.author').serialize()
    )
}

async function jsonApiSerializer(posts: Post[]) {
  const { default: Serializer } = await import('json-api-serializer')
  const serializer = new Serializer()
  serializer.register('users', { id: 'id' })
  serializer.register('comments', { id: 'id', relationships: { author: { type: 'users' } } })
  serializer.register('posts', {
    id: 'id',
    relationships: { author: { type: 'users' }, comments: { type: 'comments' } },
  })
  return () => JSON.stringify(serializer.serialize('posts', posts))
}

async function tsJapi(posts: Post[]) {
  const { Relator, Serializer } = await import('ts-japi')
  const users = new Serializer<User>('users', { projection: { fullName: 1 } })
  const comments = new Serializer<Comment>('comments', {
    projection: { body: 1, createdAt: 1 },
    relators: [
      new Relator(async ({ author }: Comment) => author, users, { relatedName: 'author' }),
    ],
  })
  const serializer = new Serializer<Post>('posts', {
    projection: { title: 1, body: 1, createdAt: 1 },
    include: 2,
    relators: [
      new Relator(async ({ author }: Post) => author, users, { relatedName: 'author' }),
      new Relator(async (post: Post) => post.comments, comments, { relatedName: 'comments' }),
    ],
  })
  return async () => JSON.stringify(await serializer.serialize(posts))
}

/** AdonisJS's own: nested objects rather than a JSON:API document. */
async function transformers(posts: any[]) {
  const { BaseTransformer } = await import('@adonisjs/core/transformers')
  const { serialize } = await adonisSerializer()

  class UserTransformer extends BaseTransformer<any> {
    toObject() {
      return this.pick(this.resource, ['id', 'fullName'])
    }
  }
  class CommentTransformer extends BaseTransformer<any> {
    toObject() {
      return {
        ...this.pick(this.resource, ['id', 'body', 'createdAt']),
        author: UserTransformer.transform(this.resource.author),
      }
    }
  }
  class PostTransformer extends BaseTransformer<any> {
    toObject() {
      return {
        ...this.pick(this.resource, ['id', 'title', 'body', 'createdAt']),
        author: UserTransformer.transform(this.resource.author),
        comments: CommentTransformer.transform(this.resource.comments)?.depth(3),
      }
    }
  }
  return async () => JSON.stringify(await serialize(PostTransformer.transform(posts).depth(4)))
}

async function adonisSerializer() {
  const { BaseSerializer } = await import('@adonisjs/core/transformers')
  class Serializer extends BaseSerializer {
    wrap = 'data'
    definePaginationMetaData(meta: unknown) {
      return meta as never
    }
  }
  const serializer = new Serializer()
  return { serialize: (value: never) => serializer.serialize(value) } as {
    serialize(value: unknown): Promise<unknown>
  }
}

const same = (value: string) => value
const toIso = (value: { toISO(): string }) => value.toISO()

const CONTESTANTS: Record<string, () => Promise<() => unknown>> = {
  'plain: loop by hand': async () => {
    const posts = plainPosts()
    return () => loop(posts, same)
  },
  'plain: JsonResource': async () => {
    const make = await resources()
    return make(plainPosts())
  },
  'plain: json-api-serializer': () => jsonApiSerializer(plainPosts()),
  'plain: ts-japi': () => tsJapi(plainPosts()),
  'plain: transformers': () => transformers(plainPosts()),
  'lucid: loop by hand': async () => {
    const posts = await lucidPosts()
    return () => loop(posts, toIso)
  },
  'lucid: JsonResource': async () => {
    const make = await resources()
    return make(await lucidPosts())
  },
  'lucid: transformers': async () => transformers(await lucidPosts()),
}

function cpu() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Milliseconds of CPU of every document that a contestant makes. */
async function run(name: string) {
  const { finish } = await import('./harness.js')
  const make = await CONTESTANTS[name]!()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = cpu()
    await make()
    times.push(cpu() - start)
  }
  process.stdout.write(`\n${JSON.stringify(times)}`)
  await finish()
}

function median(times: number[]) {
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]!
}

function mean(times: number[]) {
  return times.reduce((sum, time) => sum + time, 0) / times.length
}

function compare() {
  const reference: Record<string, { cold: number; warm: number }> = {}
  for (const name of Object.keys(CONTESTANTS)) {
    const [, ...command] = process.argv
    const output = execFileSync(process.execPath, [...process.execArgv, command[0]!, name])
    const times: number[] = JSON.parse(output.toString().trim().split('\n').at(-1)!)
    const cold = mean(times.slice(0, FIRST))
    const warm = median(times.slice(ROUNDS / 2))
    const kind = name.split(':', 1)[0]!
    reference[kind] ??= { cold, warm }
    const ratio = (value: number, base: number) =>
      `${value.toFixed(1).padStart(7)} ms ${(value / base).toFixed(2).padStart(6)}x`
    process.stdout.write(
      `${name.padEnd(30)} warm ${ratio(warm, reference[kind].warm)}` +
        `   cold ${ratio(cold, reference[kind].cold)}\n`
    )
  }
}

async function overLucid() {
  const { finish } = await import('./harness.js')
  const { default: db } = await import('@adonisjs/lucid/services/db')
  const { UserFactory } = await import('#database/factories/user_factory')
  const { default: PostModel } = await import('#models/post')
  const { default: PostResource } = await import('#resources/post_resource')

  const users = await UserFactory.createMany(5)
  const createdAt = '2026-01-02 03:04:05'
  const insert = async (table: string, rows: object[]) => {
    for (let start = 0; start < rows.length; start += 100) {
      await db.table(table).multiInsert(rows.slice(start, start + 100))
    }
    return db.from(table).select('id').orderBy('id', 'desc').limit(rows.length)
  }
  const text = { body: 'Lorem ipsum dolor sit amet.', created_at: createdAt }
  const posts = await insert(
    'posts',
    Array.from({ length: 2000 }, (_, n) => ({
      ...text,
      title: `P ${n}`,
      user_id: users[n % 5]!.id,
    }))
  )
  await insert(
    'comments',
    posts.flatMap(({ id }, index) =>
      [1, 2, 3].map((n) => ({ ...text, post_id: id, user_id: users[(index + n) % 5]!.id }))
    )
  )

  for (const size of [50, 2000]) {
    const serialize = async () => {
      const rows = await PostModel.query().orderBy('id', 'desc').limit(size)
      return PostResource.collection(rows).include('author', 'comments.author').serialize()
    }
    await serialize()
    let statements = 0
    const listener = () => statements++
    const client = db.connection().getWriteClient()
    client.on('query', listener)
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const document = await serialize()
    const memory = (process.memoryUsage().heapUsed - before) / document.data.length / 1024
    client.removeListener('query', listener)
    process.stdout.write(
      `${String(size).padStart(4)} posts read and rendered: ${statements} statements, ` +
        `${memory.toFixed(1)} kB for each post\n`
    )
  }
  await finish()
}

const contestant = process.argv[2]
if (contestant) {
  await run(contestant)
} else {
  compare()
  await overLucid()
}
