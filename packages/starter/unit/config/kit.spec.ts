import app from '@adonisjs/core/services/app'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import { FeatureProvider } from '#kit/auth/feature_provider'
import { assertKnownKeys, positiveNumber } from '#kit/config/checks'
import { isExpired } from '#kit/database/records'
import { modelOptions } from '#kit/database/raw_query'
import { rowLookup } from '#kit/database/raw_rows'
import { isStorable } from '#kit/database/storable_text'
import type { ModelImport, ResolvedStoreConfig } from '#kit/config/store_config'

test.group('Expiry', () => {
  test('a record has expired at the very instant, and not a millisecond earlier', ({ assert }) => {
    assert.isFalse(isExpired(1000, 999))
    assert.isTrue(isExpired(1000, 1000))
    assert.isTrue(isExpired(1000, 1001))
  })

  test('a record without an expiry never expires', ({ assert }) => {
    assert.isFalse(isExpired(null, Number.MAX_SAFE_INTEGER))
  })
})

test.group('Storable text', () => {
  test('{$i}: text with NUL or a lone surrogate is not storable')
    .with(['\0', 'a\0b', '\ud800', 'a\udc00b'])
    .run(({ assert }, text) => assert.isFalse(isStorable(text)))

  test('{$i}: any other text is')
    .with(['', 'ünïcode', '😀', 'two\nlines', '\u{10ffff}', '\ufffd'])
    .run(({ assert }, text) => assert.isTrue(isStorable(text)))
})

test.group('The nearest setting', () => {
  const known = { lifetime: 0, purgeInterval: 0 }
  const complaintAbout = (key: string) => {
    try {
      return assertKnownKeys('X', { [key]: 1 }, known)
    } catch (error) {
      return (error as Error).message
    }
  }

  test('{key} is taken for {nearest}: two letters differ, or a third of them')
    .with([
      { key: 'lifetme', nearest: 'lifetime' },
      { key: 'kifetima', nearest: 'lifetime' },
      { key: 'xxxxlifetime', nearest: 'lifetime' },
      { key: 'lifetimexxxx', nearest: 'lifetime' },
      { key: 'urgeInterv', nearest: 'purgeInterval' },
      { key: 'Purge-Interval', nearest: 'purgeInterval' },
    ])
    .run(({ assert }, { key, nearest }) => {
      assert.equal(complaintAbout(key), `X: unknown setting "${key}": did you mean "${nearest}"?`)
    })

  test('{$self} is taken for none')
    .with(['lifme', 'kifotima', 'xxxxxlifetime', 'lifetimexxxxx'])
    .run(({ assert }, key) => {
      const message = `X: unknown setting "${key}". Known: lifetime, purgeInterval`
      assert.equal(complaintAbout(key), message)
    })
})

test.group('Positive numbers of a configuration', () => {
  test('{value} is refused')
    .with([{ value: 0 }, { value: -1 }, { value: Number.NaN }, { value: Infinity }, { value: '5' }])
    .run(({ assert }, { value }) => {
      assert.throws(
        () => positiveNumber('SessionConfig', 'ttl', value as number),
        'SessionConfig: "ttl" must be a number above 0'
      )
    })

  test('fractions are refused where the number has to be whole', ({ assert }) => {
    assert.equal(positiveNumber('X', 'y', 0.5), 0.5)
    assert.throws(
      () => positiveNumber('X', 'y', 0.5, { whole: true }),
      'X: "y" must be a whole number above 0'
    )
  })

  test('0 is allowed where it turns the setting off, and a negative number never is', ({
    assert,
  }) => {
    assert.equal(positiveNumber('X', 'y', 0, { orZero: true }), 0)
    assert.throws(
      () => positiveNumber('X', 'y', -1, { orZero: true }),
      'X: "y" must be a number above 0, or 0 to turn it off'
    )
  })
})

test.group('Choosing a store', () => {
  class Memory {
    place = 'memory'
  }

  class Database {
    place: string

    constructor(client: () => { connectionName: string }, model = 'the model of the kit') {
      this.place = `${client().connectionName}, ${model}`
    }
  }

  class Provider extends FeatureProvider {
    storeOf(config: ResolvedStoreConfig<Memory> & { model?: ModelImport<string> }) {
      return this.store<Memory, string>(config, Memory, Database)
    }
  }

  const provider = new Provider(app)

  test('the store is made under its name, that of the database on the connection that is named', async ({
    assert,
  }) => {
    const connection = db.primaryConnectionName
    const inMemory = await provider.storeOf({ store: 'memory' })
    assert.equal(inMemory.place, 'memory')
    const inDatabase = await provider.storeOf({ store: 'database', connection })
    assert.equal(inDatabase.place, `${connection}, the model of the kit`)
  })

  test('the store in the database gets the model of the application', async ({ assert }) => {
    const model = async () => ({ default: 'another model' })
    const { place } = await provider.storeOf({ store: 'database', model })
    assert.equal(place, `${db.primaryConnectionName}, another model`)
  })

  test('"instance" is the ready store itself', async ({ assert }) => {
    const instance = { place: 'a ready store' }
    assert.strictEqual(await provider.storeOf({ store: 'instance', instance }), instance)
  })
})

test.group('Looking up a row', () => {
  const rows = { columns: ['id', 'data'], read: (row: object) => row }
  const find = rowLookup({ table: 'sessions', key: 'id', rows })

  test('a statement is built once for every join, with the columns of both tables', async ({
    assert,
  }) => {
    const build = { count: 0 }
    const join = {
      columns: 'users.email',
      clause(column: string) {
        build.count++
        return `LEFT JOIN users ON users.id = ${column}`
      },
      hydrate: () => null,
      select: '',
      build: () => null,
    }
    const statements: string[] = []
    const client: any = {
      isTransaction: true,
      rawQuery: async (sql: string) => (statements.push(sql), [{ id: 'x' }]),
    }
    const users = { join: () => join }

    const joined = await find(client, 'x', users)
    await find(client, 'x', users)
    const plain = await find(client, 'x')

    assert.equal(build.count, 1)
    const statement =
      'SELECT sessions.id, sessions.data, users.email FROM sessions ' +
      'LEFT JOIN users ON users.id = sessions.user_id WHERE sessions.id = ?'
    assert.deepEqual(statements, [
      statement,
      statement,
      'SELECT sessions.id, sessions.data FROM sessions WHERE sessions.id = ?',
    ])
    assert.isNull(joined!.user)
    assert.isUndefined(plain!.user)
  })

  test('a key that no row can hold is not sent to the database', async ({ assert }) => {
    const client: any = { isTransaction: true, rawQuery: () => assert.fail('a statement was made') }
    assert.isNull(await find(client, 'a\0'))
  })
})

test.group('Options for writing with a model', () => {
  test('name the connection, or hand over the transaction', async ({ assert }) => {
    const client = db.connection()
    assert.deepEqual(modelOptions(client), { connection: db.primaryConnectionName })
    await client.transaction(async (trx) => {
      assert.deepEqual(modelOptions(trx), { client: trx })
    })
  })
})
