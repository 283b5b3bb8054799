import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { generateIdentifier } from '#kit/security/secrets'
import { InMemoryClientRepository } from '#kit/oauth2/clients/client_repository'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import type { AccessTokenRecord, TokenStore } from '#kit/oauth2/tokens/token_store'
import { useSecondConnection } from '#starter/helpers/databases'
import {
  CREATED,
  EXPIRES,
  LATER,
  STORES,
  TABLES,
  USER,
  accessToken,
  authorizationCode,
  bareClient,
  pair,
} from '#starter/helpers/oauth_records'
import { lookupStatements, recordStatements } from '#starter/helpers/statements'
import { USED_LEEWAY } from '#starter/helpers/time'

for (const { name, connection, tokens, clients } of STORES) {
  test.group(`Token store contract | ${name}`, (group) => {
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

    const access = async (jti: string) => (await store.findAccessToken(jti))!.record
    const refresh = async (hash: string) => (await store.findRefreshToken(hash))!.record
    const code = async (hash: string) => (await store.findCode(hash))!.record

    /** Inserts a family of a rotated token and its successor. */
    async function family() {
      const first = pair()
      await store.insertTokens(first)
      const second = pair({ familyId: first.refresh.id })
      await store.rotate(first.refresh, second, LATER, null)
      return { first, second }
    }

    test('tells whether an access token from before an instant is active', async ({ assert }) => {
      const from = (createdAt: number, expiresAt: number, revokedAt: number | null = null) =>
        store.insertTokens({
          access: accessToken({ createdAt, expiresAt, revokedAt }),
          refresh: null,
        })
      await from(2000, 9000)
      await from(500, 5000)
      await from(500, 9000, 600)
      assert.isFalse(await store.hasActiveFrom(1000, 5000))
      assert.isTrue(await store.hasActiveFrom(1000, 4999))
      assert.isTrue(await store.hasActiveFrom(2000, 8999))
      assert.isFalse(await store.hasActiveFrom(1999, 8999))
    })

    test('reads back what was inserted, instants to the millisecond', async ({ assert }) => {
      const issued = pair({ createdAt: 1_700_000_000_123, expiresAt: 4_102_444_800_789 })
      const inserted = authorizationCode({ createdAt: 1_700_000_000_456 })
      await store.insertTokens(issued)
      await store.insertCode(inserted)
      assert.deepEqual(await access(issued.access.jti), issued.access)
      assert.deepEqual(await refresh(issued.refresh.tokenHash), issued.refresh)
      assert.deepEqual(await store.findRefreshTokenOf(issued.access.jti), issued.refresh)
      assert.deepEqual(await code(inserted.codeHash), inserted)
    })

    test('knows nothing of what was not inserted', async ({ assert }) => {
      assert.isNull(await store.findAccessToken('x'))
      assert.isNull(await store.findRefreshToken('x'))
      assert.isNull(await store.findRefreshTokenOf('x'))
      assert.isNull(await store.findCode('x'))
    })

    test('a code is redeemed once, and remembers what it gave', async ({ assert }) => {
      const inserted = authorizationCode()
      const issued = pair()
      await store.insertCode(inserted)
      assert.isTrue(await store.redeemCode(inserted.id, issued, LATER))
      assert.deepEqual(await code(inserted.codeHash), {
        ...inserted,
        redeemedAt: LATER,
        accessTokenId: issued.access.jti,
      })
      assert.deepEqual(await access(issued.access.jti), issued.access)

      const again = pair()
      assert.isFalse(await store.redeemCode(inserted.id, again, LATER))
      assert.isNull(await store.findAccessToken(again.access.jti))
      assert.isNull(await store.findRefreshToken(again.refresh.tokenHash))
      assert.isFalse(await store.redeemCode('unknown', again, LATER))
    })

    test('a code can give an access token alone', async ({ assert }) => {
      const inserted = authorizationCode()
      const issued = { access: accessToken(), refresh: null }
      await store.insertCode(inserted)
      assert.isTrue(await store.redeemCode(inserted.id, issued, LATER))
      assert.isNull(await store.findRefreshTokenOf(issued.access.jti))
    })

    test('of many redemptions at once one succeeds', async ({ assert }) => {
      const inserted = authorizationCode()
      await store.insertCode(inserted)
      const results = await Promise.all(
        Array.from({ length: 20 }, () => store.redeemCode(inserted.id, pair(), LATER))
      )
      assert.lengthOf(results.filter(Boolean), 1)
      assert.lengthOf(await store.listAccessTokens(USER, { personal: false }), 1)
    })

    test('a rotation spends the token, revokes its access token and brings the pair', async ({
      assert,
    }) => {
      const { first, second } = await family()
      assert.equal((await refresh(first.refresh.tokenHash)).rotatedAt, LATER)
      assert.equal((await access(first.access.jti)).revokedAt, LATER)
      assert.deepEqual(await refresh(second.refresh.tokenHash), second.refresh)
      assert.deepEqual(await access(second.access.jti), second.access)
    })

    test('a token is rotated once, and nothing comes of the second time', async ({ assert }) => {
      const { first } = await family()
      const again = pair({ familyId: first.refresh.id })
      assert.isFalse(await store.rotate(first.refresh, again, LATER + 1, null))
      assert.isNull(await store.findAccessToken(again.access.jti))
      assert.equal((await refresh(first.refresh.tokenHash)).rotatedAt, LATER)
    })

    test('of many rotations at once one succeeds', async ({ assert }) => {
      const first = pair()
      await store.insertTokens(first)
      const results = await Promise.all(
        Array.from({ length: 20 }, () =>
          store.rotate(first.refresh, pair({ familyId: first.refresh.id }), LATER, null)
        )
      )
      assert.lengthOf(results.filter(Boolean), 1)
      assert.lengthOf(await store.listAccessTokens(USER, { personal: false }), 2)
    })

    test('a rotated token keeps what a replay gets, of the rotation that succeeded', async ({
      assert,
    }) => {
      const first = pair()
      await store.insertTokens(first)
      const replay = { sealed: 'sealed', until: LATER + 60_000 }
      const next = pair({ familyId: first.refresh.id })
      assert.isTrue(await store.rotate(first.refresh, next, LATER, replay))
      assert.deepEqual((await refresh(first.refresh.tokenHash)).replay, replay)
      assert.isNull((await refresh(next.refresh.tokenHash)).replay)

      const late = { sealed: 'late', until: LATER + 90_000 }
      assert.isFalse(await store.rotate(first.refresh, pair(), LATER + 500, late))
      assert.deepEqual((await refresh(first.refresh.tokenHash)).replay, replay)
    })

    test('what is kept for a replay goes at the end of its window, and the token stays', async ({
      assert,
    }) => {
      const until = LATER + 60_000
      const rotated = []
      for (let index = 0; index < 120; index++) {
        const first = pair()
        await store.insertTokens(first)
        await store.rotate(first.refresh, pair({ familyId: first.refresh.id }), LATER, {
          sealed: 'sealed',
          until: until + (index === 0 ? 1 : 0),
        })
        rotated.push(first.refresh.tokenHash)
      }
      assert.equal(await store.purge(until, until), 0)
      const kept = await Promise.all(rotated.map(async (hash) => (await refresh(hash)).replay))
      assert.deepEqual(kept, [{ sealed: 'sealed', until: until + 1 }, ...Array(119).fill(null)])
    })

    test('nothing of a revoked family is rotated', async ({ assert }) => {
      const { first, second } = await family()
      await store.revokeFamily(first.refresh.id, LATER)
      assert.isFalse(await store.rotate(second.refresh, pair(), LATER, null))
      assert.isFalse(await store.rotate(first.refresh, pair(), LATER, null))
    })

    test('revoking a family ends every token in it and no other', async ({ assert }) => {
      const { first, second } = await family()
      const other = pair()
      await store.insertTokens(other)
      await store.revokeFamily(first.refresh.id, LATER + 1)
      assert.equal((await refresh(first.refresh.tokenHash)).revokedAt, LATER + 1)
      assert.equal((await refresh(second.refresh.tokenHash)).revokedAt, LATER + 1)
      assert.equal((await access(second.access.jti)).revokedAt, LATER + 1)
      assert.isNull((await refresh(other.refresh.tokenHash)).revokedAt)
      assert.isNull((await access(other.access.jti)).revokedAt)
    })

    test('a token without a family is the first of its own', async ({ assert }) => {
      const old = pair({ familyId: null })
      await store.insertTokens(old)
      const next = pair({ familyId: old.refresh.id })
      assert.isTrue(await store.rotate(old.refresh, next, LATER, null))
      await store.revokeFamily(old.refresh.id, LATER)
      assert.equal((await refresh(old.refresh.tokenHash)).revokedAt, LATER)
      assert.equal((await refresh(next.refresh.tokenHash)).revokedAt, LATER)
      assert.equal((await access(next.access.jti)).revokedAt, LATER)
    })

    test('revoking an access token ends its whole family', async ({ assert }) => {
      const { first, second } = await family()
      await store.revokeAccessToken(first.access.jti, LATER + 1)
      assert.equal((await refresh(second.refresh.tokenHash)).revokedAt, LATER + 1)
      assert.equal((await access(second.access.jti)).revokedAt, LATER + 1)
    })

    test('revoking an access token without a refresh token ends it alone', async ({ assert }) => {
      const issued = { access: accessToken(), refresh: null }
      const other = accessToken()
      await store.insertTokens(issued)
      await store.insertTokens({ access: other, refresh: null })
      await store.revokeAccessToken(issued.access.jti, LATER)
      await store.revokeAccessToken(issued.access.jti, LATER + 5)
      await store.revokeAccessToken('unknown', LATER)
      assert.equal((await access(issued.access.jti)).revokedAt, LATER)
      assert.isNull((await access(other.jti)).revokedAt)
    })

    test('revoking all of a user spares other users, other providers and personal tokens', async ({
      assert,
    }) => {
      const { second } = await family()
      const inserted = authorizationCode()
      const personal = accessToken({ name: 'script', clientId: null })
      const others = [pair({ userId: '8' }), pair({ provider: 'admins' })]
      await store.insertCode(inserted)
      await store.insertTokens({ access: personal, refresh: null })
      for (const other of others) {
        await store.insertTokens(other)
      }

      await store.revokeAll(USER, LATER + 1)
      assert.equal((await refresh(second.refresh.tokenHash)).revokedAt, LATER + 1)
      assert.equal((await access(second.access.jti)).revokedAt, LATER + 1)
      assert.equal((await code(inserted.codeHash)).revokedAt, LATER + 1)
      assert.isFalse(await store.redeemCode(inserted.id, pair(), LATER + 2))
      assert.isNull((await access(personal.jti)).revokedAt)
      for (const other of others) {
        assert.isNull((await refresh(other.refresh.tokenHash)).revokedAt)
        assert.isNull((await access(other.access.jti)).revokedAt)
      }
    })

    test('revoking all of a client spares other clients', async ({ assert }) => {
      const own = pair({ userId: '8' })
      const other = pair({ clientId: 'other' })
      await store.insertTokens(own)
      await store.insertTokens(other)
      await store.revokeAll({ clientId: 'client' }, LATER)
      assert.equal((await refresh(own.refresh.tokenHash)).revokedAt, LATER)
      assert.equal((await access(own.access.jti)).revokedAt, LATER)
      assert.isNull((await refresh(other.refresh.tokenHash)).revokedAt)
    })

    test('revoking personal tokens spares all others', async ({ assert }) => {
      const issued = pair()
      const personal = accessToken({ name: 'script', clientId: null })
      const foreign = accessToken({ name: 'script', clientId: null, userId: '8' })
      await store.insertTokens(issued)
      await store.insertTokens({ access: personal, refresh: null })
      await store.insertTokens({ access: foreign, refresh: null })
      await store.revokePersonal(USER, LATER)
      assert.equal((await access(personal.jti)).revokedAt, LATER)
      assert.isNull((await access(foreign.jti)).revokedAt)
      assert.isNull((await access(issued.access.jti)).revokedAt)
    })

    test('ends the personal access tokens of a user whose context matches, and no others', async ({
      assert,
    }) => {
      const personal = (fields: object) =>
        accessToken({ name: 'script', clientId: null, context: { team: 1 }, ...fields })
      const ends = personal({})
      const stay = [
        personal({ context: { team: 2 } }),
        personal({ context: null }),
        personal({ provider: 'admins' }),
      ]
      for (const record of [ends, ...stay]) {
        await store.insertTokens({ access: record, refresh: null })
      }
      await db.transaction(async (trx) => {
        await store.endPersonalWhere(USER, ({ team }) => team === 1, trx)
      })
      assert.isNotNull((await access(ends.jti)).revokedAt)
      for (const { jti, context } of stay) {
        assert.isNull((await access(jti)).revokedAt)
        assert.deepEqual((await access(jti)).context, context)
      }
    })

    test('lists the access tokens of one user, newest first, those of one instant by their id', async ({
      assert,
    }) => {
      const old = accessToken({ createdAt: CREATED - 1000 })
      const twins = ['b', 'c', 'a'].map((jti) => accessToken({ jti, createdAt: CREATED + 1000 }))
      const personal = accessToken({ name: 'script', clientId: null })
      const foreign = accessToken({ provider: 'admins' })
      for (const record of [old, ...twins, personal, foreign]) {
        await store.insertTokens({ access: record, refresh: null })
      }
      const ids = (records: AccessTokenRecord[]) => records.map(({ jti }) => jti)
      assert.deepEqual(ids(await store.listAccessTokens(USER, { personal: false })), [
        ...['a', 'b', 'c'],
        old.jti,
      ])
      assert.deepEqual(ids(await store.listAccessTokens(USER, { personal: true })), [personal.jti])
    })

    test('a use is recorded unless one was recorded lately', async ({ assert }) => {
      const record = accessToken({ name: 'script', clientId: null })
      await store.insertTokens({ access: record, refresh: null })
      const lastUsedAt = async () => (await access(record.jti)).lastUsedAt
      assert.isNull(await lastUsedAt())
      await store.recordUse(record.jti, LATER, CREATED)
      assert.equal(await lastUsedAt(), LATER)
      await store.recordUse(record.jti, LATER + 5, LATER - 1)
      assert.equal(await lastUsedAt(), LATER)
      await store.recordUse(record.jti, LATER + 5, LATER)
      assert.equal(await lastUsedAt(), LATER + 5)
      await store.recordUse('unknown', LATER, CREATED)
    })

    test('knows which clients have records, expired or revoked ones among them', async ({
      assert,
    }) => {
      await store.insertCode(authorizationCode({ clientId: 'with-code', revokedAt: LATER }))
      await store.insertTokens({ access: accessToken({ clientId: 'with-access' }), refresh: null })
      await store.insertTokens(pair({ clientId: 'with-both', expiresAt: CREATED }))
      await store.insertTokens({ access: accessToken({ clientId: null }), refresh: null })
      await store.grants.approve(authorizationCode({ clientId: 'with-grant' }), {
        grantId: generateIdentifier(),
        declined: [],
        context: null,
        redirectHost: null,
        expiresAt: EXPIRES + 1,
      })
      const ids = ['with-code', 'with-access', 'with-both', 'with-grant', 'with-nothing']
      assert.sameMembers(await store.findClientsInUse(ids), ids.slice(0, 4))
      await store.purge(EXPIRES, EXPIRES)
      assert.deepEqual(await store.findClientsInUse(ids), ['with-grant'])
      assert.deepEqual(await store.findClientsInUse(['with-nothing']), [])
    })

    test('purges what is past, at the very instant and not a millisecond earlier', async ({
      assert,
    }) => {
      const now = EXPIRES
      const past = accessToken({ expiresAt: now })
      const living = accessToken({ expiresAt: now + 1 })
      const pastCode = authorizationCode({ expiresAt: now })
      const livingCode = authorizationCode({ expiresAt: now + 1 })
      await store.insertTokens({ access: past, refresh: null })
      await store.insertTokens({ access: living, refresh: null })
      await store.insertCode(pastCode)
      await store.insertCode(livingCode)
      await store.used.use('dpop_proof', 'past', now - USED_LEEWAY)
      await store.used.use('dpop_proof', 'living', now - USED_LEEWAY + 1)
      assert.equal(await store.purge(now, now), 3)
      assert.isNull(await store.findAccessToken(past.jti))
      assert.isNotNull(await store.findAccessToken(living.jti))
      assert.isNull(await store.findCode(pastCode.codeHash))
      assert.isNotNull(await store.findCode(livingCode.codeHash))
    })

    test('the lock of a family, its access tokens and its code stay while the family lives', async ({
      assert,
    }) => {
      const inserted = authorizationCode({ expiresAt: LATER })
      const first = pair({ expiresAt: LATER })
      first.access.expiresAt = LATER
      await store.insertCode(inserted)
      await store.redeemCode(inserted.id, first, CREATED)
      const second = pair({ familyId: first.refresh.id, expiresAt: EXPIRES })
      second.access.expiresAt = LATER
      await store.rotate(first.refresh, second, CREATED, null)

      assert.equal(await store.purge(LATER, LATER), 0)
      assert.equal(await store.purge(EXPIRES, EXPIRES - 1), 0)
      assert.equal(await store.purge(EXPIRES, EXPIRES), 5)
      assert.isNull(await store.findRefreshToken(first.refresh.tokenHash))
      assert.isNull(await store.findCode(inserted.codeHash))
    })

    test('an expired token without a family stays, with its access token, until families go', async ({
      assert,
    }) => {
      const alone = pair({ expiresAt: EXPIRES })
      await store.insertTokens(alone)
      assert.equal(await store.purge(EXPIRES, EXPIRES - 1), 0)
      assert.isNotNull(await store.findAccessToken(alone.access.jti))
      assert.equal(await store.purge(EXPIRES, EXPIRES), 2)
    })

    test('a redeemed code stays while the access token lives that it gave', async ({ assert }) => {
      const inserted = authorizationCode({ expiresAt: LATER })
      await store.insertCode(inserted)
      await store.redeemCode(inserted.id, { access: accessToken(), refresh: null }, CREATED)
      assert.equal(await store.purge(EXPIRES - 1, CREATED), 0)
      assert.equal(await store.purge(EXPIRES, CREATED), 2)
    })

    test('a rotated token that is no lock goes at its own expiry, with its access token', async ({
      assert,
    }) => {
      const { first, second } = await family()
      const third = pair({ familyId: first.refresh.id, expiresAt: EXPIRES + 1 })
      await store.rotate(second.refresh, third, LATER, null)
      third.access.expiresAt = EXPIRES + 1

      assert.equal(await store.purge(EXPIRES, EXPIRES), 2)
      assert.isNotNull(await store.findRefreshToken(first.refresh.tokenHash))
      assert.isNotNull(await store.findAccessToken(first.access.jti))
      assert.isNull(await store.findRefreshToken(second.refresh.tokenHash))
      assert.isNull(await store.findAccessToken(second.access.jti))
      assert.isNotNull(await store.findRefreshToken(third.refresh.tokenHash))
      assert.isNotNull(await store.findAccessToken(third.access.jti))

      /* The lock still does its work. */
      await store.revokeFamily(first.refresh.id, EXPIRES)
      assert.equal((await refresh(third.refresh.tokenHash)).revokedAt, EXPIRES)
    })

    test('a token from before families stays while the tokens that came of it do', async ({
      assert,
    }) => {
      const first = pair({ familyId: null })
      const second = pair({ familyId: first.refresh.id, expiresAt: EXPIRES + 1 })
      await store.insertTokens(first)
      await store.rotate(first.refresh, second, LATER, null)
      assert.equal(await store.purge(EXPIRES, EXPIRES), 0)
      assert.equal(await store.purge(EXPIRES + 1, EXPIRES + 1), 4)
    })

    test('a purge gets past any number of rows that stay, and deletes what comes after them', async ({
      assert,
    }) => {
      const families = Array.from({ length: 600 }, () => pair({ expiresAt: 1 }))
      await Promise.all(families.map((first) => store.insertTokens(first)))
      await Promise.all(
        families.map(({ refresh: { id } }) => store.insertTokens(pair({ familyId: id })))
      )
      const late = pair({ expiresAt: 2 })
      late.access.expiresAt = 2
      await store.insertTokens(late)
      assert.equal(await store.purge(CREATED, CREATED), 2)
      assert.isNull(await store.findRefreshToken(late.refresh.tokenHash))
    })

    test('other work runs while a purge does', async ({ assert }) => {
      const rows = Array.from({ length: 1100 }, () => accessToken({ expiresAt: 1 }))
      await Promise.all(rows.map((row) => store.insertTokens({ access: row, refresh: null })))
      let turns = 0
      const immediate = () => {
        turns++
        timer = setImmediate(immediate)
      }
      let timer = setImmediate(immediate)
      await store.purge(CREATED, CREATED)
      clearImmediate(timer)
      assert.isAtLeast(turns, name === 'memory' ? 0 : 3)
    })

    test('tokens are inserted unless their client has been revoked', async ({ assert }) => {
      const repository = clients()
      const client = bareClient({ createdAt: CREATED })
      await repository.insert(client)
      const issued = pair({ clientId: client.id, resource: 'https://api.example.com' })
      const inserted = await store.insertUnlessRevoked?.(issued, repository)
      if (name === 'memory') {
        return assert.isUndefined(inserted)
      }
      assert.isTrue(inserted)
      assert.deepEqual(await access(issued.access.jti), issued.access)
      assert.deepEqual(await refresh(issued.refresh.tokenHash), issued.refresh)

      await repository.revoke(client.id)
      const late = pair({ clientId: client.id })
      assert.isFalse(await store.insertUnlessRevoked!(late, repository))
      assert.isNull(await store.findAccessToken(late.access.jti))
      assert.isNull(await store.findRefreshToken(late.refresh.tokenHash))
      assert.isNull(await store.insertUnlessRevoked!(late, new InMemoryClientRepository()))
    })

    test('a purge deletes more than one batch', async ({ assert }) => {
      const rows = Array.from({ length: 1100 }, () => accessToken({ expiresAt: 1 }))
      await Promise.all(rows.map((row) => store.insertTokens({ access: row, refresh: null })))
      assert.equal(await store.purge(CREATED, CREATED), 1100)
      assert.equal(await store.purge(CREATED, CREATED), 0)
    })
  })
}

test.group('Database token store', () => {
  const store = new DatabaseTokenStore(() => db.connection())

  test('reads an access token and its user in as few statements as the database allows', async ({
    assert,
  }) => {
    const manager = await app.container.make('auth_manager')
    const user = await UserFactory.create()
    const users = manager.users('users')
    const record = accessToken({ userId: String(user.id) })
    await store.insertTokens({ access: record, refresh: null })

    await store.findAccessToken('the first look-up learns the type of the key', users)

    let found: Awaited<ReturnType<typeof store.findAccessToken>> = null
    const statements = await recordStatements(async () => {
      found = await store.findAccessToken(record.jti, users)
    })
    assert.lengthOf(statements, lookupStatements())
    assert.equal((found!.user as any).email, user.email)
    assert.deepEqual(found!.record, record)
  })

  test('a user that is gone is null, not unknown', async ({ assert }) => {
    const manager = await app.container.make('auth_manager')
    const record = accessToken({ userId: '99999999' })
    await store.insertTokens({ access: record, refresh: null })
    const found = await store.findAccessToken(record.jti, manager.users('users'))
    assert.isNull(found!.user)
  })

  test('a rotation is one statement on PostgreSQL, and one transaction of four on SQLite, the first of them a write', async ({
    assert,
  }) => {
    const first = pair()
    await store.insertTokens(first)
    const statements = await recordStatements(() =>
      store.rotate(first.refresh, pair({ familyId: first.refresh.id }), LATER, null)
    )
    const inside = statements.filter((sql) => !/^(begin|commit)/i.test(sql))
    const isSqlite = db.connection().dialect.name === 'better-sqlite3'
    assert.lengthOf(inside, isSqlite ? 4 : 1)
    assert.lengthOf(statements, isSqlite ? 6 : 1)
    assert.match(inside[0]!, /^(with guard as \()?update oauth_refresh_tokens/i)
  })
})
