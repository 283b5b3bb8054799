/* What a page of posts of the database takes: statements and memory. */

import { finish } from '../harness.js'
import { seedPosts } from './stored.js'

const { hydrateQuickly } = await import('#kit/database/quick_query')
const { default: db } = await import('@adonisjs/lucid/services/db')
const { default: Post } = await import('#models/post')
const { default: PostResource } = await import('#resources/post_resource')

const POSTS = 2000

async function serialize(size: number) {
  const rows = await hydrateQuickly(Post.query()).orderBy('id', 'desc').limit(size)
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

await seedPosts(POSTS)
await serialize(POSTS)
for (const size of [500, POSTS]) {
  await serialize(size)
  await measure(size)
}
await finish()
