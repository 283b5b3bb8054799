import testUtils from '@adonisjs/core/services/test_utils'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { appUrl } from '#config/app'
import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import Comment from '#models/comment'
import Post from '#models/post'
import type User from '#models/user'
import { ACTS, type Caller, type Row } from '#starter/helpers/isolation_acts'
import { authorizationServer, registerClient } from '#starter/helpers/oauth'
import { authorizationCode } from '#starter/helpers/oauth_records'
import { Visitor } from '#starter/helpers/visitor'
import { keyOf, useWorkspaces, work, workspacesOf } from '#starter/helpers/workspaces'
import { AuthContext } from '#kit/auth/outcome'
import { generateIdentifier } from '#kit/security/secrets'
import { runInWorkspace } from '#kit/workspaces/current_workspace'

/** Pairs of a credential and a row. The size of the promise: ISOLATION_PAIRS=100000. */
const PAIRS = Number(process.env.ISOLATION_PAIRS ?? 600)
const WORKSPACES = 50
const PEOPLE = 20
const POSTS_EACH = 4
const SCOPES = ['posts:read', 'posts:write']

/** The same numbers with every run; a failure names its pair. */
function randomNumbers(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Workspaces with members, who are in others as well, and rows. */
async function world(random: (below: number) => number) {
  const workspaces = await workspacesOf()
  const people = await UserFactory.createMany(PEOPLE)
  const memberships = new Map<number, User[]>()
  const rows: Row[] = []
  for (let index = 0; index < WORKSPACES; index++) {
    const [owner, member] = [people[random(PEOPLE)]!, people[random(PEOPLE)]!]
    const { id: workspace } = await workspaces.create(await keyOf(owner), `Team ${index}`)
    await workspaces.join(db.connection(), workspace, await keyOf(member), 'admin')
    memberships.set(workspace, [owner, member])
    const userId = owner.id
    for (let count = 0; count < POSTS_EACH; count++) {
      await runInWorkspace(workspace, async () => {
        const texts = { title: `of ${workspace}`, body: `secret ${workspace}` }
        const { id } = await Post.create({ userId, ...texts })
        const said = await Comment.create({ userId, postId: id, body: `said in ${workspace}` })
        rows.push({ id, workspace, comment: said.id })
      })
    }
  }
  return { memberships, rows }
}

/** The access token of a client that was approved for a workspace. */
async function clientToken(user: User, workspace: number, resource: string | null) {
  const { tokens, tokenIssuer } = await authorizationServer()
  const owner = await keyOf(user)
  const { id: clientId } = await registerClient()
  const scopes = resource ? [...SCOPES, 'mcp:use'] : SCOPES
  const access = { clientId, scopes, resource }
  const code = authorizationCode({ ...owner, ...access })
  const { id: grantId } = await tokens.grants.approve(code, {
    grantId: generateIdentifier(),
    declined: [],
    context: { workspace_id: workspace },
    redirectHost: null,
    expiresAt: code.expiresAt,
  })
  const { records, accessToken } = await tokenIssuer.prepare(
    { user: owner, ...access, grantId },
    null
  )
  await tokens.insertTokens(records)
  return accessToken
}

/** How a person gets a bearer token for a workspace. */
const TOKENS: ((user: User, workspace: number) => Promise<string>)[] = [
  async (user, workspace) => {
    const token = await ApiToken.create(user, { context: { workspace_id: workspace } })
    return token.plainText
  },
  async (user, workspace) => {
    const { personalAccessTokens } = await authorizationServer()
    const made = await personalAccessTokens.create(
      await keyOf(user),
      new AuthContext({ user, scopes: ['*'] }),
      { name: 'script', scopes: SCOPES, context: { workspace_id: workspace } }
    )
    return made.access_token
  },
  (user, workspace) => clientToken(user, workspace, null),
]

/** A caller in a workspace: with a token of one of the kinds, or a session. */
async function callerIn(workspace: number, user: User, kind: number): Promise<Caller> {
  const visitor = new Visitor()
  const mcp = await clientToken(user, workspace, `${appUrl}/mcp`)
  const make = TOKENS[kind % (TOKENS.length + 1)]
  if (make) {
    const authorization = `Bearer ${await make(user, workspace)}`
    return { user, workspace, visitor, mcp, headers: { authorization } }
  }
  await visitor.login(user.email, FACTORY_PASSWORD)
  await work(visitor, workspace)
  return { user, workspace, visitor, mcp, headers: {} }
}

test.group('Isolation of workspaces', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())
  group.each.setup(() => useWorkspaces({ common: false }))

  test(`of ${PAIRS} pairs of a credential and a row, none reads or writes across`, async ({
    assert,
  }) => {
    const random = randomNumbers(20_261_123)
    const { memberships, rows } = await world(random)
    const callers: Caller[] = []
    for (const [workspace, members] of memberships) {
      callers.push(await callerIn(workspace, members[callers.length % 2]!, callers.length))
    }
    const seenBy = new Map<string, number>()
    for (let pair = 0; pair < PAIRS; pair++) {
      const caller = callers[random(callers.length)]!
      const row = rows[random(rows.length)]!
      /* Half of the pairs are of one workspace, so that every act is seen to do something. */
      const target = random(2) ? row : rows.find((one) => one.workspace === caller.workspace)!
      const { what, act } = ACTS[random(ACTS.length)]!
      const answer = await act(caller, target)
      const seen = [...answer.matchAll(/(?:of|secret|said in) (\d+)/g)].map(([, id]) => Number(id))
      seenBy.set(what, (seenBy.get(what) ?? 0) + seen.length)
      const foreign = seen.filter((id) => id !== caller.workspace)
      if (foreign.length) {
        assert.fail(`pair ${pair}: a caller in ${caller.workspace} ${what} and sees ${foreign}`)
      }
    }
    /* Reads and tools really answer with rows. */
    const silent = ACTS.map(({ what }) => what).filter((what) => !seenBy.get(what))
    assert.deepEqual(
      silent.filter((what) => !SILENT.test(what)),
      []
    )

    const posts = await db.from('posts').whereIn('workspace_id', [...memberships.keys()])
    assert.isTrue(posts.every((post) => post.title === `of ${post.workspace_id}`))
    assert.includeMembers(
      posts.map(({ id }) => id),
      rows.map(({ id }) => id)
    )
    const comments = await db
      .from('comments')
      .join('posts', 'posts.id', 'comments.post_id')
      .whereIn('comments.workspace_id', [...memberships.keys()])
      .select('comments.id', 'comments.body', 'comments.workspace_id')
      .select('posts.workspace_id as of')
    assert.includeMembers(
      comments.map(({ id }) => id),
      rows.map(({ comment }) => comment)
    )
    const strays = comments.filter(
      (one) => one.of !== one.workspace_id || one.body !== `said in ${one.workspace_id}`
    )
    assert.deepEqual(strays, [])
  }).timeout(3_600_000)
})

/** Acts whose answer has no text of a row. */
const SILENT = /^(?:asks|removes|deletes|moves|reads a relationship|changes by a tool|writes by)/
