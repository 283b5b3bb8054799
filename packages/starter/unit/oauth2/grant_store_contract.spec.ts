import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UnknownAuthorization } from '#kit/auth/errors'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import type {
  AuthorizationCodeRecord,
  IssuedRecords,
  TokenStore,
} from '#kit/oauth2/tokens/token_store'
import type { Approval, GrantRecord } from '#kit/oauth2/user_grants/grant_store'
import { useSecondConnection } from '#starter/helpers/databases'
import {
  CREATED,
  EXPIRES,
  LATER,
  STORES,
  TABLES,
  USER,
  authorizationCode,
  pair,
  waitingDevice,
} from '#starter/helpers/oauth_records'
import { generateIdentifier } from '#kit/security/secrets'
import { recordStatements } from '#starter/helpers/statements'

const RESOURCE = 'https://api.example.com'
const SUBJECT = { ...USER, clientId: 'client', resource: RESOURCE }

function approval(fields: Partial<Approval> = {}): Approval {
  return {
    grantId: generateIdentifier(),
    declined: [],
    context: null,
    redirectHost: 'client.example.com',
    expiresAt: EXPIRES,
    ...fields,
  }
}

/** Tokens that are issued under a grant. */
function under(grant: GrantRecord, fields: Parameters<typeof pair>[0] = {}) {
  const issued = pair({ grantId: grant.id, ...fields })
  issued.access.grantId = grant.id
  return issued
}

for (const { name, connection, tokens } of STORES) {
  test.group(`Grant store contract | ${name}`, (group) => {
    let store: TokenStore
    async function clean() {
      for (const table of TABLES) {
        await db.connection(connection).from(table).delete()
      }
    }
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.teardown(clean)
    group.each.setup(async () => {
      store = tokens()
      await clean()
    })

    const code = async ({ codeHash }: AuthorizationCodeRecord) =>
      (await store.findCode(codeHash))!.record

    /** Whether anything of a pair could still be used. */
    async function isAlive({ access, refresh }: IssuedRecords) {
      const found = await store.findAccessToken(access.jti)
      const other = refresh && (await store.findRefreshToken(refresh.tokenHash))
      return (
        (found !== null && found.record.revokedAt === null) ||
        (!!other && other.record.revokedAt === null && other.record.rotatedAt === null)
      )
    }

    /** An approval whose code has been redeemed. */
    async function connected(
      more: Partial<AuthorizationCodeRecord> = {},
      context: Approval['context'] = null
    ) {
      const approved = authorizationCode(more)
      const grant = await store.grants.approve(approved, approval({ context }))
      const issued = under(grant, { clientId: approved.clientId, userId: approved.userId })
      await store.redeemCode(approved.id, issued, LATER)
      return { grant, approved, issued }
    }

    test('an approval makes a grant, and its code points to it', async ({ assert }) => {
      const approved = authorizationCode({ createdAt: 1_700_000_000_123 })
      const context = { workspace: 7, path: ['ä'] }
      const grant = await store.grants.approve(approved, approval({ context }))
      assert.deepEqual(grant, {
        id: grant.id,
        ...SUBJECT,
        scopes: ['posts:read'],
        context,
        redirectHost: 'client.example.com',
        createdAt: 1_700_000_000_123,
        lastUsedAt: null,
        expiresAt: EXPIRES,
        revokedAt: null,
      })
      assert.deepEqual(await store.grants.find(grant.id), grant)
      assert.deepEqual(await code(approved), { ...approved, grantId: grant.id })
    })

    test('a second approval widens the grant, and never narrows it', async ({ assert }) => {
      const { grant, issued } = await connected()
      const wider = await store.grants.approve(
        authorizationCode({ scopes: ['posts:write'], createdAt: LATER }),
        approval({ redirectHost: 'other.example.com', expiresAt: EXPIRES + 1 })
      )
      assert.equal(wider.id, grant.id)
      assert.deepEqual(wider.scopes, ['posts:read', 'posts:write'])
      assert.deepInclude(await store.grants.find(grant.id), {
        scopes: ['posts:read', 'posts:write'],
        redirectHost: 'other.example.com',
        createdAt: CREATED,
        expiresAt: EXPIRES + 1,
      })
      const same = await store.grants.approve(authorizationCode(), approval())
      assert.deepEqual(same.scopes, ['posts:read', 'posts:write'])
      assert.isTrue(await isAlive(issued))
    })

    test('another user, provider, client, resource or context has a grant of its own', async ({
      assert,
    }) => {
      const ids = new Set<string>()
      for (const more of [
        {},
        { userId: '8' },
        { provider: 'admins' },
        { clientId: 'other' },
        { resource: null },
        { resource: 'https://other.example.com' },
      ]) {
        const { id } = await store.grants.approve(authorizationCode(more), approval())
        ids.add(id)
      }
      for (const context of [{ workspace: 1 }, { workspace: 2 }]) {
        const { id } = await store.grants.approve(authorizationCode(), approval({ context }))
        ids.add(id)
      }
      assert.lengthOf(ids, 8)
      assert.lengthOf(await store.grants.findLiving(SUBJECT, LATER), 3)
      assert.lengthOf(await store.grants.findLiving({ ...SUBJECT, resource: null }, LATER), 1)
      assert.lengthOf(await store.grants.list(USER), 6)
    })

    test('lists the grants of a user newest first, those of one instant by their id', async ({
      assert,
    }) => {
      const approve = (grantId: string, createdAt: number) =>
        store.grants.approve(
          authorizationCode({ clientId: grantId, createdAt }),
          approval({ grantId })
        )
      await approve('c', CREATED)
      await approve('b', LATER)
      await approve('a', CREATED)
      const listed = await store.grants.list(USER)
      assert.deepEqual(
        listed.map(({ id }) => id),
        ['b', 'a', 'c']
      )
    })

    test('an approval decides the request of a device with it, and a decided one approves nothing', async ({
      assert,
    }) => {
      const device = waitingDevice({ expiresAt: Date.now() + 60_000 })
      await store.devices.insert(device)
      const { deviceCodeHash } = device
      const approved = authorizationCode()
      await store.grants.approve(approved, approval({ deviceCodeHash }))
      const decided = await store.devices.find(deviceCodeHash)
      assert.deepInclude(decided, { decision: 'approved', codeHash: approved.codeHash })

      const other = authorizationCode({ clientId: 'other' })
      const again = async () => store.grants.approve(other, approval({ deviceCodeHash }))
      await assert.rejects(again, UnknownAuthorization)
      assert.lengthOf(await store.grants.list(USER), 1)
      assert.isNull(await store.findCode(other.codeHash))
    })

    test('the order of members makes no other context', async ({ assert }) => {
      const approve = (context: Record<string, unknown>) =>
        store.grants.approve(authorizationCode(), approval({ context }))
      const one = await approve({ a: 1, b: { c: [1, 2], d: null } })
      const two = await approve({ b: { d: null, c: [1, 2] }, a: 1 })
      const three = await approve({ b: { d: null, c: [2, 1] }, a: 1 })
      assert.equal(one.id, two.id)
      assert.notEqual(one.id, three.id)
    })

    test('of many approvals at once one makes the grant, and the others widen it', async ({
      assert,
    }) => {
      const scopes = Array.from({ length: 20 }, (_, index) => `scope:${index}`)
      const grants = await Promise.all(
        scopes.map((scope) =>
          store.grants.approve(authorizationCode({ scopes: [scope] }), approval())
        )
      )
      assert.lengthOf(new Set(grants.map(({ id }) => id)), 1)
      assert.sameMembers((await store.grants.find(grants[0]!.id))!.scopes, scopes)
    })

    test('a scope that was allowed and is declined now goes, with all that was issued before', async ({
      assert,
    }) => {
      const { grant, issued } = await connected({ scopes: ['posts:read', 'posts:write'] })
      const pending = authorizationCode({ scopes: ['posts:write'] })
      await store.grants.approve(pending, approval())
      const now = authorizationCode({ createdAt: LATER })
      const narrower = await store.grants.approve(now, approval({ declined: ['posts:write'] }))
      assert.equal(narrower.id, grant.id)
      assert.deepEqual(narrower.scopes, ['posts:read'])
      assert.isFalse(await isAlive(issued))
      assert.equal((await code(pending)).revokedAt, LATER)
      assert.isNull((await code(now)).revokedAt)
      assert.isTrue(await store.redeemCode(now.id, under(grant), LATER))
    })

    test('a declined scope that was never allowed ends nothing', async ({ assert }) => {
      const { issued } = await connected()
      await store.grants.approve(authorizationCode(), approval({ declined: ['posts:write'] }))
      assert.isTrue(await isAlive(issued))
    })

    test('revoking a grant ends its codes and tokens and no others', async ({ assert }) => {
      const { grant, approved, issued } = await connected()
      const pending = authorizationCode()
      await store.grants.approve(pending, approval())
      const others = [
        await connected({ userId: '8' }),
        await connected({ clientId: 'other' }),
        await connected({ resource: null }),
      ]
      const ungranted = pair()
      await store.insertTokens(ungranted)

      assert.isTrue(await store.grants.revoke(grant.id, LATER))
      assert.isFalse(await store.grants.revoke(grant.id, LATER + 5))
      assert.isFalse(await store.grants.revoke('unknown', LATER))
      assert.equal((await store.grants.find(grant.id))!.revokedAt, LATER)
      assert.isFalse(await isAlive(issued))
      assert.equal((await code(pending)).revokedAt, LATER)
      assert.equal((await code(approved)).revokedAt, LATER)
      assert.isFalse(await store.redeemCode(pending.id, under(grant), LATER))
      for (const other of others) {
        assert.isTrue(await isAlive(other.issued))
        assert.isNull((await store.grants.find(other.grant.id))!.revokedAt)
      }
      assert.isTrue(await isAlive(ungranted))
    })

    test('an approval after the revocation makes another grant', async ({ assert }) => {
      const { grant } = await connected({ scopes: ['posts:write'] })
      await store.grants.revoke(grant.id, LATER)
      assert.lengthOf(await store.grants.findLiving(SUBJECT, LATER), 0)
      assert.lengthOf(await store.grants.list(USER), 0)
      const next = await store.grants.approve(authorizationCode(), approval())
      assert.notEqual(next.id, grant.id)
      assert.deepEqual(next.scopes, ['posts:read'])
    })

    test('an approval that has expired is not widened; its tokens go on', async ({ assert }) => {
      const { grant, issued } = await connected({ scopes: ['posts:write'] })
      assert.lengthOf(await store.grants.findLiving(SUBJECT, EXPIRES - 1), 1)
      assert.lengthOf(await store.grants.findLiving(SUBJECT, EXPIRES), 0)
      const next = await store.grants.approve(
        authorizationCode({ createdAt: EXPIRES }),
        approval({ expiresAt: EXPIRES + 1000 })
      )
      assert.notEqual(next.id, grant.id)
      assert.deepEqual(next.scopes, ['posts:read'])
      assert.isTrue(await isAlive(issued))
      assert.isTrue(await store.grants.revoke(grant.id, EXPIRES))
      assert.isFalse(await isAlive(issued))
    })

    test('a grant is used again while it is as it was read', async ({ assert }) => {
      const { grant } = await connected()
      const again = authorizationCode()
      assert.isTrue(await store.grants.reuse(again, grant))
      assert.deepEqual(await code(again), { ...again, grantId: grant.id })

      const refused = authorizationCode()
      await store.grants.approve(authorizationCode({ scopes: ['posts:write'] }), approval())
      assert.isFalse(await store.grants.reuse(refused, grant))
      const wider = (await store.grants.find(grant.id))!
      await store.grants.revoke(grant.id, LATER)
      assert.isFalse(await store.grants.reuse(refused, wider))
      assert.isFalse(await store.grants.reuse(refused, { ...wider, id: 'unknown' }))
      assert.isNull(await store.findCode(refused.codeHash))
    })

    test('nothing is refreshed under a revoked grant', async ({ assert }) => {
      const { grant, issued } = await connected()
      const next = under(grant, { familyId: issued.refresh.id })
      await store.grants.revoke(grant.id, LATER)
      assert.isFalse(await store.rotate(issued.refresh, next, LATER, null))
      assert.isNull(await store.findAccessToken(next.access.jti))
    })

    test('a revocation against a redemption and a refresh leaves nothing alive', async ({
      assert,
    }) => {
      for (let round = 0; round < 20; round++) {
        const { grant, issued } = await connected()
        const pending = authorizationCode()
        await store.grants.approve(pending, approval())
        const late = authorizationCode()
        const reused = (await store.grants.find(grant.id))!
        const [next, redeemed] = [under(grant, { familyId: issued.refresh.id }), under(grant)]
        const race = [
          () => store.redeemCode(pending.id, redeemed, LATER),
          () => store.rotate(issued.refresh, next, LATER, null),
          () => store.grants.reuse(late, reused),
          () => store.revokeFamily(issued.refresh.id, LATER),
        ]
        race.splice(round % 5, 0, () => store.grants.revoke(grant.id, LATER))
        await Promise.all(race.map(async (run) => run()))
        for (const one of [issued, next, redeemed]) {
          assert.isFalse(await isAlive(one))
        }
        const inserted = await store.findCode(late.codeHash)
        assert.isTrue(inserted === null || inserted.record.revokedAt === LATER)
      }
    })

    test('the end of all of a user or a client ends the grants too', async ({ assert }) => {
      const [own, other] = [await connected(), await connected({ userId: '8' })]
      await store.revokeAll(USER, LATER)
      assert.equal((await store.grants.find(own.grant.id))!.revokedAt, LATER)
      assert.isNull((await store.grants.find(other.grant.id))!.revokedAt)
      await store.revokeAll({ clientId: 'client' }, LATER)
      assert.equal((await store.grants.find(other.grant.id))!.revokedAt, LATER)
      assert.isFalse(await isAlive(other.issued))
    })

    test('ends the grants of a user whose context matches, with all that is under them, and no others', async ({
      assert,
    }) => {
      const ends = await connected({}, { team: 1 })
      const stay = [
        await connected({}, { team: 2 }),
        await connected(),
        await connected({ userId: '8' }, { team: 1 }),
      ]
      await db.transaction(async (trx) => {
        await store.grants.endWhere(USER, ({ team }) => team === 1, trx)
      })
      assert.isNotNull((await store.grants.find(ends.grant.id))!.revokedAt)
      assert.isFalse(await isAlive(ends.issued))
      for (const { grant, issued } of stay) {
        assert.isNull((await store.grants.find(grant.id))!.revokedAt)
        assert.isTrue(await isAlive(issued))
      }
    })

    test('an id that no database can store is unknown', async ({ assert }) => {
      for (const id of ['\0', 'x\0', '\ud800']) {
        assert.isNull(await store.grants.find(id))
      }
    })

    test('a use is recorded unless one was recorded lately', async ({ assert }) => {
      const { grant } = await connected()
      const lastUsedAt = async () => (await store.grants.find(grant.id))!.lastUsedAt
      await store.grants.recordUse(grant.id, LATER, CREATED)
      assert.equal(await lastUsedAt(), LATER)
      await store.grants.recordUse(grant.id, LATER + 5, LATER - 1)
      assert.equal(await lastUsedAt(), LATER)
      await store.grants.recordUse(grant.id, LATER + 5, LATER)
      assert.equal(await lastUsedAt(), LATER + 5)
      await store.grants.recordUse('unknown', LATER, CREATED)
    })

    test('a grant that is forgotten has no host, until the next approval', async ({ assert }) => {
      const { grant, issued } = await connected()
      await store.grants.forget(grant.id)
      assert.isNull((await store.grants.find(grant.id))!.redirectHost)
      assert.isTrue(await isAlive(issued))
      await store.grants.approve(authorizationCode(), approval())
      assert.equal((await store.grants.find(grant.id))!.redirectHost, 'client.example.com')
    })

    test('a purge deletes a grant that has expired or ended, after all that is under it', async ({
      assert,
    }) => {
      const { grant } = await connected({ expiresAt: LATER })
      const { id } = await store.grants.approve(
        authorizationCode({ userId: '8', expiresAt: LATER }),
        approval()
      )
      await store.grants.revoke(id, LATER)
      assert.equal(await store.purge(LATER, LATER), 2)
      assert.isNull(await store.grants.find(id))

      assert.equal(await store.purge(EXPIRES, EXPIRES - 1), 0)
      assert.isNotNull(await store.grants.find(grant.id))
      assert.equal(await store.purge(EXPIRES, EXPIRES), 4)
      assert.isNull(await store.grants.find(grant.id))
    })

    test('a purge leaves a grant that is remembered, with nothing under it', async ({ assert }) => {
      const { id } = await store.grants.approve(authorizationCode({ expiresAt: LATER }), approval())
      assert.equal(await store.purge(LATER, LATER), 1)
      assert.isNotNull(await store.grants.find(id))
    })
  })
}

test.group('Grants in tables', () => {
  test('a device is undecided when the code of its approval cannot be written', async ({
    assert,
    cleanup,
  }) => {
    cleanup(async () => {
      await Promise.all(TABLES.map((table) => db.from(table).delete()))
    })
    const store = new DatabaseTokenStore(() => db.connection())
    const device = waitingDevice({ expiresAt: Date.now() + 60_000 })
    await store.devices.insert(device)
    const code = authorizationCode()
    await store.insertCode(code)
    const { deviceCodeHash } = device
    await assert.rejects(() => store.grants.approve(code, approval({ deviceCodeHash })), /unique/i)
    assert.deepEqual(await store.devices.find(deviceCodeHash), device)
    assert.lengthOf(await store.grants.list(USER), 0)
  })
})

test.group('Grants on SQLite', () => {
  test('approvals and times of last use share a commit', async ({ assert, cleanup }) => {
    cleanup(async () => {
      await Promise.all(TABLES.map((table) => db.from(table).delete()))
    })
    const store = new DatabaseTokenStore(() => db.connection())
    const statements = await recordStatements(() =>
      Promise.all([
        store.grants.approve(authorizationCode(), approval()),
        store.grants.recordUse('unknown', CREATED, CREATED),
        store.recordUse('unknown', CREATED, CREATED),
      ])
    )
    assert.lengthOf(
      statements.filter((statement) => /^COMMIT/.test(statement)),
      1
    )
  }).skip(() => db.connection().dialect.name !== 'better-sqlite3', 'Each has its own on PostgreSQL')
})
