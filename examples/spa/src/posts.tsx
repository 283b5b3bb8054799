import { useEffect, useState } from 'react'

import { answerOf, api, Failure } from './api'
import { Field, Form, Message } from './form'

type Page = Awaited<ReturnType<typeof read>>

/** Posts with the names of their authors, the newest first. */
async function read(number: number) {
  const query = { include: 'author', sort: '-createdAt', page: { number, size: 5 } }
  const { data, included, links } = await answerOf(api.GET('/api/posts', { params: { query } }))
  const posts = data.map(({ id, attributes, relationships }) => {
    const author = included?.find((one) => one.id === relationships?.author?.data?.id)
    return { id, ...attributes, author: author?.type === 'users' && author.attributes?.fullName }
  })
  return { posts, hasMore: Boolean(links?.next) }
}

export function Posts() {
  const [pages, setPages] = useState<Page[]>([])
  const [failure, setFailure] = useState<Failure>()
  const add = (before: Page[]) =>
    read(before.length + 1).then((page) => setPages([...before, page]), setFailure)
  useEffect(() => void add([]), [])
  const posts = pages.flatMap((page) => page.posts)

  return (
    <main className="container">
      <h1>Posts</h1>
      <article>
        <Form
          submit="Publish"
          send={async ({ title = '', body = '' }, form) => {
            const data = { type: 'posts' as const, attributes: { title, body } }
            const headers = { 'Content-Type': 'application/vnd.api+json' }
            await answerOf(api.POST('/api/posts', { headers, body: { data } }))
            form.reset()
            await add([])
            return 'Your post is published.'
          }}
        >
          <Field label="Title" name="title" />
          <Field label="Text" name="body" rows={3} />
        </Form>
      </article>
      <Message failure={failure} />
      {pages.length > 0 && !posts.length && <p>Nobody has written anything yet.</p>}
      {posts.map(({ id, title, body, author, createdAt }) => (
        <article key={id}>
          <h2>{title}</h2>
          <p>
            <small>
              {author || 'Someone'} · {createdAt && new Date(createdAt).toLocaleDateString()}
            </small>
          </p>
          <p>{body}</p>
        </article>
      ))}
      {pages.at(-1)?.hasMore && (
        <button className="outline" onClick={() => add(pages)}>
          Older posts
        </button>
      )}
    </main>
  )
}
