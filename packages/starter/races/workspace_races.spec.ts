import { randomBytes } from 'node:crypto'

import db from '@adonisjs/lucid/services/db'
import type { QueryClientContract } from '@adonisjs/lucid/types/database'
import { test } from '@japa/runner'

import Post from '#models/post'
import { AuthContext } from '#kit/auth/outcome'
import type { Owner } from '#kit/auth/users'
import { ApiToken } from '#kit/api_token/facade'
import { lockWrites } from '#kit/workspaces/models'
import { Memberships, membershipOf } from '#kit/workspaces/memberships'
import { UserFactory } from '#database/factories/user_factory'
import { generateIdentifier, generateSecret, hashSecret } from '#kit/security/secrets'
import { cluster } from '#starter/helpers/cluster'
import {
  REDIRECT_URI,
  type TestClient,
  authorizationServer,
  createPkce,
  post,
  redemption,
  refreshing,
  registerClient,
} from '#starter/helpers/oauth'
import { authorizationCode } from '#starter/helpers/oauth_records'
import { keyOf, postIn, team, workspacesOf } from '#starter/helpers/workspaces'

/** The number of the promise: RACE_ROUNDS=1000. */
const ROUNDS = Number(process.env.RACE_ROUNDS ?? 40)

const newUser = () =>
  UserFactory.merge({
    email: `${randomBytes(12).toString('hex')}@example.com`,
    password: 'not used to sign in',
  }).create()

/** A code under a grant for a workspace, as the consent page makes it. */
async function approve(client: TestClient, owner: Owner, workspace: number) {
  const { tokens } = await authorizationServer()
  const { verifier, challenge } = createPkce()
  const code = generateSecret()
  const now = Date.now()
  const expiresAt = now + 60_000
  const record = authorizationCode({
    codeHash: hashSecret(code),
    ...owner,
    clientId: client.id,
    redirectUri: REDIRECT_URI,
    resource: null,
    codeChallenge: challenge,
    createdAt: now,
    expiresAt,
  })
  await tokens.grants.approve(record, {
    grantId: generateIdentifier(),
    declined: [],
    context: { workspace_id: workspace },
    redirectHost: null,
    expiresAt,
  })
  return redemption(client, { code, verifier })
}

const UNUSABLE = {
  oauth_grants: ['revoked_at'],
  oauth_auth_codes: ['revoked_at', 'redeemed_at'],
  oauth_refresh_tokens: ['revoked_at', 'rotated_at'],
  oauth_access_tokens: ['revoked_at'],
  personal_api_tokens: [],
}

/** What a person could still use: grants, codes, tokens of both kinds. */
async function alive(userId: string): Promise<Record<string, unknown[]>> {
  const left: Record<string, unknown[]> = {}
  for (const [table, columns] of Object.entries(UNUSABLE)) {
    const query = db.from(table).where('user_id', userId)
    columns.forEach((column) => void query.whereNull(column))
    const rows = await query
    if (rows.length) {
      left[table] = rows
    }
  }
  return left
}

test.group('Workspaces across processes', () => {
  test('a removal against refresh, redemption, a call and new tokens leaves nothing alive', async ({
    assert,
  }) => {
    const urls = await cluster()
    const { personalAccessTokens } = await authorizationServer()
    const client = await registerClient()
    const workspaces = await workspacesOf()
    const boss = await newUser()
    for (let round = 0; round < ROUNDS; round++) {
      const member = await newUser()
      const owner = await keyOf(member)
      /* Of an earlier user with this number, whom another test has left. */
      for (const table of Object.keys(UNUSABLE)) {
        await db.from(table).where('user_id', owner.userId).delete()
      }
      const { id } = await team(boss, { member })
      const first = await post(`${urls[0]}/oauth/token`, await approve(client, owner, id))
      assert.equal(first.status, 200)
      const redeem = await approve(client, owner, id)
      const headers = {
        accept: 'application/vnd.api+json',
        authorization: `Bearer ${first.body.access_token}`,
      }
      await Promise.all([
        post(`${urls[0]}/oauth/token`, refreshing(client, first.body.refresh_token)),
        post(`${urls[1]}/oauth/token`, redeem),
        fetch(`${urls[2]!}/api/posts`, { headers }),
        ApiToken.create(member, { context: { workspace_id: id } }).catch(() => {}),
        personalAccessTokens
          .create(owner, new AuthContext({ user: member, scopes: ['*'] }), {
            name: 'script',
            scopes: ['posts:read'],
            context: { workspace_id: id },
          })
          .catch(() => {}),
        workspaces.remove(id, owner),
      ])
      assert.deepEqual(await alive(owner.userId), {}, `round ${round}`)
      const after = await fetch(`${urls[3]!}/api/posts`, { headers })
      assert.equal(after.status, 401)
    }
  })

  test('nothing is written after a removal, another role or a deletion has been answered', async ({
    assert,
  }) => {
    const urls = await cluster()
    const workspaces = await workspacesOf()
    const boss = await newUser()
    const type = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
    const ends = [
      (id: number, { owner }: { owner: Owner }) => workspaces.remove(id, owner),
      (id: number, { memberId }: { memberId: number }) =>
        workspaces.changeRole(id, memberId, 'member'),
      (id: number) => workspaces.delete(id),
    ]
    for (let round = 0; round < ROUNDS; round++) {
      const admin = await newUser()
      const { id } = await team(boss, { admin })
      const written = await postIn(id, boss)
      const { plainText } = await ApiToken.create(admin, { context: { workspace_id: id } })
      const headers = {
        'content-type': type,
        'accept': type,
        'authorization': `Bearer ${plainText}`,
      }
      const data = { type: 'posts', id: String(written.id) }
      const sent = urls.map((url) => {
        const operations = Array.from({ length: 30 }, (_, index) => {
          const attributes = { title: `${url} ${index}` }
          return { op: 'update', ref: data, data: { ...data, attributes } }
        })
        const body = JSON.stringify({ 'atomic:operations': operations })
        return fetch(`${url}/api/operations`, { method: 'POST', headers, body })
      })
      const [, member] = await workspaces.members(id)
      const owner = await keyOf(admin)
      await Promise.race(sent)
      await ends[round % ends.length]!(id, { owner, memberId: member!.id })
      const find = () => Post.acrossWorkspaces().where('id', written.id).firstOrFail()
      const { title } = await find()
      const late = await Promise.all(sent.map(async (response) => (await response).status))
      assert.equal((await find()).title, title, `round ${round}: ${late.join()}`)
      assert.isEmpty(late.filter((status) => status >= 500))
    }
  })

  test('nobody stays by writing on and on: a removal that waits gets its turn', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const [boss, member] = [await newUser(), await newUser()]
    const { id } = await team(boss, { member })
    const owner = await keyOf(member)
    const write = (work: (trx: QueryClientContract) => Promise<unknown>) =>
      db.transaction(async (trx) => {
        await lockWrites(trx, id, { isShared: true })
        return work(trx)
      })
    let removed: Promise<boolean>
    let second: Promise<unknown>
    let isOver = false
    await write(async () => {
      removed = workspaces.remove(id, owner)
      const waiting = () =>
        db.from('pg_locks').where({ locktype: 'advisory', objid: id, granted: false })
      while (!(await waiting()).length) {
        /* Until the removal waits. */
      }
      second = write((trx) => membershipOf(trx, id, owner).first()).finally(() => (isOver = true))
      while (!isOver && (await waiting()).length < 2) {
        /* Until the next write waits, too, behind it. */
      }
    })
    assert.isTrue(await removed!)
    assert.isNull(await second!)
  }).skip(() => db.connection().dialect.name !== 'postgres', 'SQLite has one writer at a time')

  test('of two last owners who leave at once one stays', async ({ assert }) => {
    const workspaces = await workspacesOf()
    for (let round = 0; round < ROUNDS; round++) {
      const [one, two] = [await newUser(), await newUser()]
      const { id } = await team(one, { owner: two })
      const left = await Promise.allSettled([
        workspaces.remove(id, await keyOf(one)),
        workspaces.remove(id, await keyOf(two)),
      ])
      assert.lengthOf(
        left.filter(({ status }) => status === 'fulfilled'),
        1
      )
      const members = await workspaces.members(id)
      assert.deepEqual(
        members.map(({ role }) => role),
        ['owner']
      )
    }
  })

  test('an invitation that is accepted at that moment is not said to be revoked', async ({
    assert,
  }) => {
    const workspaces = await workspacesOf()
    const { invitations } = workspaces
    const boss = await newUser()
    for (let round = 0; round < ROUNDS; round++) {
      const guest = await newUser()
      const { id } = await team(boss)
      const token = await invitations.create(id, guest.email, 'member')
      const [invitation] = await invitations.list(id)
      let revoked: Promise<string | null> | undefined
      workspaces.join = (...joining) => {
        revoked = invitations.revoke(id, invitation!.id)
        return Memberships.prototype.join.apply(workspaces, joining)
      }
      const accepted = invitations.accept(token, guest.email, await keyOf(guest))
      await accepted.finally(() => Reflect.deleteProperty(workspaces, 'join'))
      assert.isNull(await revoked!, `round ${round}`)
      assert.lengthOf(await workspaces.members(id), 2)
    }
  })

  test('an invitation that is accepted many times at once is used once', async ({ assert }) => {
    const workspaces = await workspacesOf()
    const boss = await newUser()
    for (let round = 0; round < ROUNDS; round++) {
      const guest = await newUser()
      const { id } = await team(boss)
      const token = await workspaces.invitations.create(id, guest.email, 'member')
      const key = await keyOf(guest)
      const answers = await Promise.allSettled(
        Array.from({ length: 5 }, () => workspaces.invitations.accept(token, guest.email, key))
      )
      assert.lengthOf(
        answers.filter(({ status }) => status === 'fulfilled'),
        1
      )
      assert.lengthOf(await workspaces.members(id), 2)
    }
  })
})
