/*
| WarpDrive's store with its JSON:API cache, in a process of its own: its build for
| browsers without a bundler is chosen by a condition that the whole process has. The
| other build needs the macros of Ember's bundler, with 300 packages behind them:
| "overrides" of package.json leave them out.
|
|   node --conditions=unpkg warp_drive.js URL TOKEN COMMENT_ID
|
| Prints what the cache holds after each step. Plain JavaScript: nothing compiles it.
*/

import { recordIdentifierFor, useRecommendedStore } from '@warp-drive/core'
import { setupSignals } from '@warp-drive/core/configure'
import { withDefaults } from '@warp-drive/core/reactive'
import { SkipCache } from '@warp-drive/core/types/request'
import { JSONAPICache } from '@warp-drive/json-api'

const [url, token, commentId] = process.argv.slice(2)
const MEDIA_TYPE = 'application/vnd.api+json'

/* Nothing is rendered here: signals have nobody to tell. */
setupSignals(() => ({
  createSignal: () => ({}),
  consumeSignal() {},
  notifySignal() {},
  createMemo: (_object, _key, compute) => compute,
  willSyncFlushWatchers: () => false,
  waitFor: (promise) => promise,
}))

const field = (name) => ({ name, kind: 'field' })
const linked = (name, kind, type) => ({
  name,
  kind,
  type,
  options: { async: false, inverse: null, polymorphic: false },
})

const RecommendedStore = useRecommendedStore({
  cache: JSONAPICache,
  schemas: [
    withDefaults({ type: 'users', fields: [field('fullName'), field('createdAt')] }),
    withDefaults({
      type: 'comments',
      fields: [field('body'), linked('author', 'belongsTo', 'users')],
    }),
    withDefaults({
      type: 'posts',
      fields: [
        field('title'),
        field('body'),
        linked('author', 'belongsTo', 'users'),
        linked('comments', 'hasMany', 'comments'),
      ],
    }),
  ],
})

/* The cache alone is looked at: records need nothing reactive. */
class Store extends RecommendedStore {
  instantiateRecord() {
    return {}
  }

  teardownRecord() {}
}

const store = new Store()
const { cache } = store
const steps = {}

function request(method, path, options = {}) {
  const { document, ...rest } = options
  return store.request({
    url: `${url}${path}`,
    method,
    headers: new Headers({
      'Authorization': `Bearer ${token}`,
      'Accept': MEDIA_TYPE,
      'Content-Type': MEDIA_TYPE,
    }),
    cacheOptions: { reload: true },
    ...(document && { body: JSON.stringify(document) }),
    ...rest,
  })
}

/** The identifier of a relationship in the cache, or the list of them. */
const linkage = (identifier, name) => {
  const { data } = cache.getRelationship(identifier, name)
  return Array.isArray(data) ? data.map(({ id }) => id) : data && data.id
}

const record = store.createRecord('posts', {})
const post = recordIdentifierFor(record)
cache.setAttr(post, 'title', 'Hello')
cache.setAttr(post, 'body', 'World')
const { attributes } = cache.peek(post)
await request('POST', '/posts', {
  op: 'createRecord',
  data: { record: post },
  records: [post],
  document: { data: { type: 'posts', attributes } },
})
steps.created = { id: post.id, isNew: cache.isNew(post), title: cache.getAttr(post, 'title') }

cache.setAttr(post, 'title', 'Changed')
const changes = cache.changedAttrs(post)
await request('PATCH', `/posts/${post.id}`, {
  op: 'updateRecord',
  data: { record: post },
  records: [post],
  document: { data: { type: 'posts', id: post.id, attributes: { title: changes.title[1] } } },
})
steps.changed = {
  title: cache.getAttr(post, 'title'),
  body: cache.getAttr(post, 'body'),
  hasChanges: cache.hasChangedAttrs(post),
}

/* The answer is empty: there is nothing to put into the cache. */
const members = {
  document: { data: [{ type: 'comments', id: commentId }] },
  cacheOptions: { [SkipCache]: true },
}
await request('POST', `/posts/${post.id}/relationships/comments`, members)
await request('GET', `/posts/${post.id}?include=author,comments.author`, { op: 'findRecord' })
const [comment] = cache.getRelationship(post, 'comments').data
steps.read = {
  author: cache.getAttr(cache.getRelationship(post, 'author').data, 'fullName'),
  comments: linkage(post, 'comments'),
  commenter: linkage(comment, 'author'),
}

await request('DELETE', `/posts/${post.id}/relationships/comments`, members)
await request('GET', `/posts/${post.id}?include=comments`, { op: 'findRecord' })
steps.removed = linkage(post, 'comments')

const page = await request('GET', '/posts?page[size]=1&sort=-title', { op: 'query' })
steps.page = page.content.data.map((one) => recordIdentifierFor(one).id)

const refused = await request('GET', '/posts?include=nothing', { op: 'query' }).catch(
  (error) => error
)
steps.refused = refused.content.errors

store.deleteRecord(record)
await request('DELETE', `/posts/${post.id}`, {
  op: 'deleteRecord',
  data: { record: post },
  records: [post],
})
steps.isDeleted = cache.isDeletionCommitted(post)

process.stdout.write(JSON.stringify(steps))
