import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { ApiToken } from 'adonis-auth-kit/api_token/facade'
import { appUrl } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import type User from '#models/user'
import { Visitor } from '#starter/helpers/visitor'
import { keyOf, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'
import { runInWorkspace } from 'adonis-auth-kit/workspaces/current_workspace'

/** Pairs of a credential and a row. The size of the promise: ISOLATION_PAIRS=100000. */
const PAIRS = Number(process.env.ISOLATION_PAIRS ?? 2000)
const WORKSPACES = 50
const PEOPLE = 20
const POSTS_EACH = 4

interface Caller {
  user: User
  workspace: number
  visitor: Visitor
  headers: Record<string, string>
}

/** The same numbers with every run; a failure names its pair. */
function randomNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Workspaces with members, rows, and callers of every kind. */
async function world(random: (below: number) => number) {
  const workspaces = await workspacesOf()
  const people = await UserFactory.createMany(PEOPLE)
  const ids: number[] = []
  const memberships = new Map<number, User[]>()
  for (let index = 0; index < WORKSPACES; index++) {
    const owner = people[random(PEOPLE)]!
    const { id } = await workspaces.create(await keyOf(owner), `Team ${index}`)
    const member = people[random(PEOPLE)]!
    await workspaces.join(db.connection(), id, await keyOf(member), 'admin')
    ids.push(id)
    memberships.set(id, [owner, member])
  }
  const posts: { id: number; workspace: number; comment: number }[] = []
  for (const workspace of ids) {
    const userId = memberships.get(workspace)![0]!.id
    for (let index = 0; index < POSTS_EACH; index++) {
      await runInWorkspace(workspace, async () => {
        const texts = { title: `of ${workspace}`, body: `secret ${workspace}` }
        const { id } = await Post.create({ userId, ...texts })
        const body = `said in ${workspace}`
        const comment = await Comment.create({ userId, postId: id, body })
        posts.push({ id, workspace, comment: comment.id })
      })
    }
  }
  return { ids, memberships, posts }
}

/** A caller in a workspace: with an API token, a session, or the token of an OAuth client. */
async function callerIn(workspace: number, user: User, kind: number): Promise<Caller> {
  const visitor = new Visitor()
  if (kind === 0) {
    const { plainText } = await ApiToken.create(user, { context: { workspace_id: workspace } })
    return { user, workspace, visitor, headers: { authorization: `Bearer ${plainText}` } }
  }
  await visitor.login(user.email, FACTORY_PASSWORD)
  await work(visitor, workspace)
  return { user, workspace, visitor, headers: {} }
}

type Row = Awaited<ReturnType<typeof world>>['posts'][number]

/** What a caller does about a row; the answer is text to be searched for what is foreign. */
const ACTS: { what: string; act(caller: Caller, row: Row): Promise<string> }[] = [
  { what: 'reads', act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}`) },
  {
    what: 'includes',
    act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}?include=comments,author`),
  },
  { what: 'lists', act: (caller) => ask(caller, 'GET', '/api/posts?include=comments') },
  {
    what: 'filters',
    act: (caller) => ask(caller, 'GET', `/api/posts?filter[author]=${caller.user.id}`),
  },
  {
    what: 'walks by a cursor',
    async act(caller) {
      const first = await ask(caller, 'GET', '/api/posts?page[after]=&page[size]=2')
      const next = /"next":"([^"]+)"/.exec(first)?.[1]
      return first + (next ? await ask(caller, 'GET', next.replace(appUrl, '')) : '')
    },
  },
  { what: 'follows', act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}/comments`) },
  {
    what: 'reads a relationship',
    act: (caller, { id }) => ask(caller, 'GET', `/api/posts/${id}/relationships/comments`),
  },
  {
    what: 'changes',
    act: (caller, { id }) =>
      ask(caller, 'PATCH', `/api/posts/${id}`, {
        data: { type: 'posts', id: String(id), attributes: { title: `of ${caller.workspace}` } },
      }),
  },
  {
    what: 'moves a comment',
    async act(caller, { comment }) {
      const list = JSON.parse(await ask(caller, 'GET', '/api/posts'))
      const own = list.data[0].id
      return ask(caller, 'POST', `/api/posts/${own}/relationships/comments`, {
        data: [{ type: 'comments', id: String(comment) }],
      })
    },
  },
  {
    what: 'removes a comment',
    act: (caller, { id }) =>
      ask(caller, 'DELETE', `/api/posts/${id}/relationships/comments`, { data: [] }),
  },
  {
    what: 'opens a page',
    async act({ visitor, headers }, { id }) {
      const list = await visitor.get('/posts', { headers: { accept: 'text/html', ...headers } })
      const one = await visitor.get(`/posts/${id}`, { headers: { accept: 'text/html' } })
      return (await list.text()) + (await one.text())
    },
  },
]

async function ask(
  { visitor, headers }: Caller,
  method: string,
  path: string,
  json?: unknown
): Promise<string> {
  const type = 'application/vnd.api+json'
  const response = await visitor.request(method, path, {
    headers: { accept: type, ...headers, ...(json !== undefined && { 'content-type': type }) },
    csrf: !headers.authorization,
    ...(json !== undefined && { body: JSON.stringify(json) }),
  })
  return response.text()
}

test.group('Isolation of workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test(`of ${PAIRS} pairs of a credential and a row, none reads or writes across`, async ({
    assert,
  }) => {
    const random = randomNumbers(20_261_123)
    const { ids, memberships, posts } = await world(random)
    const callers: Caller[] = []
    for (const [index, id] of ids.entries()) {
      callers.push(await callerIn(id, memberships.get(id)![index % 2]!, index % 2))
    }
    let own = 0
    for (let pair = 0; pair < PAIRS; pair++) {
      const caller = callers[random(callers.length)]!
      const post = posts[random(posts.length)]!
      const { what, act } = ACTS[random(ACTS.length)]!
      const answer = await act(caller, post)
      const seen = [...answer.matchAll(/(?:of|secret|said in) (\d+)/g)].map(([, id]) => Number(id))
      own += seen.length
      const foreign = seen.filter((id) => id !== caller.workspace)
      if (foreign.length) {
        assert.fail(`pair ${pair}: a caller in ${caller.workspace} ${what} and sees ${foreign}`)
      }
    }
    assert.isAbove(own, PAIRS)
    const moved = await db
      .from('comments')
      .join('posts', 'posts.id', 'comments.post_id')
      .whereRaw('comments.workspace_id <> posts.workspace_id')
    assert.lengthOf(moved, 0)
    const rows = await db.from('posts').whereIn('workspace_id', ids)
    assert.lengthOf(rows, WORKSPACES * POSTS_EACH)
    assert.isTrue(rows.every((row) => row.title === `of ${row.workspace_id}`))
    assert.lengthOf(await db.from('comments').whereIn('workspace_id', ids), rows.length)
  }).timeout(3_600_000)
})
