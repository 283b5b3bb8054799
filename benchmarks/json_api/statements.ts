/* What a page of posts of the database takes: statements and memory. */

import { finish } from '../harness.js'

const { default: db } = await import('@adonisjs/lucid/services/db')
const { UserFactory } = await import('#database/factories/user_factory')
const { default: Post } = await import('#models/post')
const { default: PostResource } = await import('#resources/post_resource')

const POSTS = 2000
const COMMENTS_OF_A_POST = [1, 2, 3]

async function insert(table: string, rows: object[]): Promise<{ id: number }[]> {
  for (let start = 0; start < rows.length; start += 100) {
    await db.table(table).multiInsert(rows.slice(start, start + 100))
  }
  return db.from(table).select('id').orderBy('id', 'desc').limit(rows.length)
}

async function seed() {
  const users = await UserFactory.createMany(5)
  const authorOf = (index: number) => users[index % users.length]!.id
  const text = { body: 'Lorem ipsum dolor sit amet.', created_at: '2026-01-02 03:04:05' }
  const posts = await insert(
    'posts',
    Array.from({ length: POSTS }, (_, n) => ({ ...text, title: `P ${n}`, user_id: authorOf(n) }))
  )
  await insert(
    'comments',
    posts.flatMap(({ id }, index) =>
      COMMENTS_OF_A_POST.map((n) => ({ ...text, post_id: id, user_id: authorOf(index + n) }))
    )
  )
}

async function serialize(size: number) {
  const rows = await Post.query().orderBy('id', 'desc').limit(size)
  return PostResource.collection(rows).include('author', 'comments.author').serialize()
}

/** Bytes that are still in use. */
function memoryInUse() {
  globalThis.gc!()
  return process.memoryUsage().heapUsed
}

async function measure(size: number) {
  let statements = 0
  const count = () => statements++
  const client = db.connection().getWriteClient()
  client.on('query', count)
  const before = memoryInUse()
  const document = await serialize(size)
  const memory = (memoryInUse() - before) / document.data.length / 1024
  client.removeListener('query', count)
  process.stdout.write(
    `${String(size).padStart(4)} posts read and rendered: ${statements} statements, ` +
      `${memory.toFixed(1)} kB kept for each post\n`
  )
}

await seed()
await serialize(POSTS)
for (const size of [500, POSTS]) {
  await serialize(size)
  await measure(size)
}
await finish()
