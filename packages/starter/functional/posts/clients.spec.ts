import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { CommentFactory } from '#database/factories/comment_factory'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import { serverUrl } from '#starter/helpers/server_url'

/* Neither client has types that an ES module could resolve. */
const require = createRequire(import.meta.url)
const { default: Kitsu }: any = await import('kitsu' as string)
const DevourClient: any = require('devour-client')

test.group('Clients that write', (group) => {
  group.each.setup(() => async () => {
    await Comment.query().delete()
    await Post.query().delete()
  })

  test('kitsu creates, reads, changes, removes and works on relationships', async ({ assert }) => {
    const { user, headers, url } = await caller()
    const api = new Kitsu({ baseURL: url, headers, camelCaseTypes: false, pluralize: false })

    const { data: created } = await api.create('posts', { title: 'Hello', body: 'World' })
    assert.equal(created.title, 'Hello')
    const changed = await api.update('posts', { id: created.id, title: 'Changed' })
    assert.equal(changed.data.title, 'Changed')
    assert.equal(changed.data.body, 'World')

    const comment = await CommentFactory.merge({ postId: created.id, userId: user.id }).create()
    const { data: read } = await api.get(`posts/${created.id}`, {
      params: { include: 'author,comments' },
    })
    assert.equal(read.author.data.fullName, user.fullName)
    assert.equal(read.comments.data[0].body, comment.body)
    const { data: list } = await api.get('posts', {
      params: { filter: { author: user.id }, sort: '-title', page: { number: 1, size: 5 } },
    })
    assert.equal(list.length, 1)

    const other = await PostFactory.merge({ userId: user.id }).create()
    const moved = await CommentFactory.merge({ postId: other.id, userId: user.id }).create()
    const relationship = { url: `posts/${created.id}/relationships/comments`, type: 'comments' }
    await api.request({ ...relationship, method: 'POST', body: [{ id: String(moved.id) }] })
    const { data: members } = await api.get(relationship.url)
    assert.sameMembers(
      members.map(({ id }: any) => id),
      [String(comment.id), String(moved.id)]
    )
    const linkage = { data: [{ type: 'comments', id: String(comment.id) }] }
    await api.request({ ...relationship, method: 'DELETE', axiosOptions: { data: linkage } })
    assert.isNull(await Comment.find(comment.id))

    await api.delete('posts', created.id)
    assert.isNull(await Post.find(created.id))
    const error: any = await api.get(`posts/${created.id}`).catch((reason: unknown) => reason)
    assert.equal(error.errors[0].status, '404')
  })

  test('devour-client creates, reads, changes, removes and works on relationships', async ({
    assert,
  }) => {
    const { user, headers, url } = await caller()
    const api = new DevourClient({ apiUrl: url, pluralize: false })
    api.headers = headers
    api.define('users', { fullName: '', createdAt: '' })
    api.define('comments', { body: '', author: { jsonApi: 'hasOne', type: 'users' } })
    api.define('posts', {
      title: '',
      body: '',
      author: { jsonApi: 'hasOne', type: 'users' },
      comments: { jsonApi: 'hasMany', type: 'comments' },
    })

    const { data: created } = await api.create('posts', { title: 'Hello', body: 'World' })
    assert.equal(created.title, 'Hello')
    const { data: changed } = await api.update('posts', { id: created.id, title: 'Changed' })
    assert.equal(changed.title, 'Changed')

    const comment = await CommentFactory.merge({ postId: created.id, userId: user.id }).create()
    const { data: read } = await api.find('posts', created.id, { include: 'author,comments' })
    assert.equal(read.author.fullName, user.fullName)
    assert.equal(read.comments[0].body, comment.body)

    const related = await api.one('posts', created.id).all('comments').get()
    assert.equal(related.data[0].body, comment.body)
    await api
      .one('posts', created.id)
      .relationships()
      .all('comments')
      .destroy([{ type: 'comments', id: String(comment.id) }])
    assert.isNull(await Comment.find(comment.id))

    await api.destroy('posts', created.id)
    assert.isNull(await Post.find(created.id))
  })

  test('WarpDrive’s cache creates, reads, changes, removes and works on relationships', async ({
    assert,
  }) => {
    const { user, url, token } = await caller()
    const other = await PostFactory.merge({ userId: user.id, title: 'A' }).create()
    const comment = await CommentFactory.merge({ postId: other.id, userId: user.id }).create()
    const script = fileURLToPath(new URL('../../helpers/clients/warp_drive.js', import.meta.url))
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--conditions=unpkg',
      script,
      url,
      token,
      String(comment.id),
    ])
    const steps = JSON.parse(stdout)
    const { id } = steps.created
    assert.deepEqual(steps.created, { id, isNew: false, title: 'Hello' })
    assert.deepEqual(steps.changed, { title: 'Changed', body: 'World', hasChanges: false })
    assert.deepEqual(steps.read, {
      author: user.fullName,
      comments: [String(comment.id)],
      commenter: String(user.id),
    })
    assert.deepEqual(steps.removed, [])
    assert.deepEqual(steps.page, [id])
    assert.deepEqual(steps.refused[0].source, { parameter: 'include' })
    assert.isTrue(steps.isDeleted)
    assert.isNull(await Post.find(id))
    assert.isNull(await Comment.find(comment.id))
  })
})

/** A user, the header with a token of theirs, and where the API is. */
async function caller() {
  const user = await UserFactory.create()
  const { plainText } = await ApiToken.create(user, 'client', ['posts:read', 'posts:write'])
  const url = await serverUrl('/api')
  return { user, url, token: plainText, headers: { Authorization: `Bearer ${plainText}` } }
}
