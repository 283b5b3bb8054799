import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { Client } from '#kit/oauth2/clients/client'
import { OrmClientRepository } from '#kit/oauth2/clients/client_repository'
import { purgeAtOf, purgeUnused, useClient } from '#kit/oauth2/clients/unused_clients'
import { DatabaseTokenStore } from '#kit/oauth2/tokens/database_token_store'
import { isolate } from '#starter/helpers/oauth'
import { accessToken, bareClient } from '#starter/helpers/oauth_records'
import { stopClock } from '#starter/helpers/time'

const HOUR = 3600
const DAY = 24 * HOUR

test.group('Unused clients', (group) => {
  group.each.setup(isolate)

  const repository = new OrmClientRepository(() => db.connection())
  const tokens = new DatabaseTokenStore(() => db.connection())

  async function insert(id: string, fields: Partial<Client> = {}) {
    const now = Date.now()
    const client = bareClient({
      id,
      name: id,
      createdAt: now,
      source: 'registration',
      purgeAt: purgeAtOf(now),
      ...fields,
    })
    await repository.insert(client)
    return client
  }

  async function issueTo(clientId: string, expiresAt: number) {
    const access = accessToken({ clientId, expiresAt })
    await tokens.insertTokens({ access, refresh: null })
  }

  const left = async () => (await db.from('oauth_clients').orderBy('id')).map(({ id }) => id)

  test('go a day after their last use, registered ones never', async ({ assert }) => {
    const advance = stopClock()
    await insert('a')
    const used = await insert('b')
    await insert('operator', { source: null, purgeAt: null })
    advance(DAY - 1)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 0)
    assert.isTrue(await useClient(repository, used))
    advance(1)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 1)
    assert.deepEqual(await left(), ['b', 'operator'])
    advance(DAY)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 1)
    assert.deepEqual(await left(), ['operator'])
  })

  test('stay as long as anything that was issued to them', async ({ assert }) => {
    const advance = stopClock()
    await insert('a')
    await insert('b')
    await issueTo('a', Date.now() + 3 * DAY * 1000)
    advance(DAY)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 1)
    assert.deepEqual(await left(), ['a'])
    advance(2 * DAY)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 0)
    await tokens.purge(Date.now(), Date.now())
    advance(DAY)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 1)
  })

  test('a use is written once an hour at most', async ({ assert }) => {
    const advance = stopClock()
    const client = await insert('a')
    advance(HOUR - 1)
    await useClient(repository, client)
    assert.equal((await repository.find('a'))!.purgeAt, client.purgeAt)
    advance(1)
    await useClient(repository, client)
    assert.equal((await repository.find('a'))!.purgeAt, client.purgeAt! + HOUR * 1000)
  })

  test('one that is used while a purge decides about it stays', async ({ assert }) => {
    const advance = stopClock()
    const client = await insert('a')
    advance(DAY)
    const slow = Object.create(tokens, {
      findClientsInUse: {
        /* Between the look at the tokens and the deletion, the client gets one. */
        value: async (ids: string[]) => {
          const found = await tokens.findClientsInUse(ids)
          assert.isTrue(await useClient(repository, client))
          await issueTo('a', Date.now() + DAY * 1000)
          return found
        },
      },
    })
    assert.equal(await purgeUnused(repository, slow, Date.now()), 0)
    assert.deepEqual(await left(), ['a'])
  })

  test('one that has just been deleted cannot be used', async ({ assert }) => {
    const advance = stopClock()
    const client = await insert('a')
    advance(DAY)
    await purgeUnused(repository, tokens, Date.now())
    assert.isFalse(await useClient(repository, client))
  })

  test('a purge deletes more than one batch, and gets past those that stay', async ({ assert }) => {
    const advance = stopClock()
    for (let index = 0; index < 120; index++) {
      await insert(`client ${index}`)
    }
    for (let index = 0; index < 60; index++) {
      await issueTo(`client ${index}`, Date.now() + 2 * DAY * 1000)
    }
    advance(DAY)
    assert.equal(await purgeUnused(repository, tokens, Date.now()), 60)
    assert.lengthOf(await left(), 60)
  })
})
