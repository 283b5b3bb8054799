import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import {
  changeRecord,
  DatabaseTaskStore,
  MemoryTaskStore,
  type TaskRecord,
  type TaskStore,
} from '#kit/mcp/tasks/task_store'

const NOW = 1_800_000_000_000

function record(changes: Partial<TaskRecord> = {}): TaskRecord {
  return {
    server: 'blog',
    owner: '[1,null]',
    status: 'working',
    createdAt: NOW,
    updatedAt: NOW,
    expiresAt: NOW + 3_600_000,
    runsUntil: NOW + 900_000,
    tool: 'report',
    args: { months: [1, 2], text: 'ä\u2028"' },
    client: { info: null, capabilities: { elicitation: {} } },
    rounds: 0,
    questions: {},
    responses: {},
    state: { at: 'start' },
    outcome: null,
    ...changes,
  }
}

const STORES: Record<string, () => TaskStore> = {
  memory: () => new MemoryTaskStore(),
  database: () => new DatabaseTaskStore(() => db.connection()),
}

for (const [name, create] of Object.entries(STORES)) {
  test.group(`MCP task store | ${name}`, (group) => {
    let store: TaskStore

    group.each.setup(async () => {
      store = create()
      await db.beginGlobalTransaction()
      return () => db.rollbackGlobalTransaction()
    })

    test('finds a task as it was created, and no other', async ({ assert }) => {
      await store.create('a', record())
      const found = await store.find('a')
      assert.deepEqual(found?.record, record())
      assert.isNull(await store.find('b'))
    })

    test('a task of an anonymous caller has no owner', async ({ assert }) => {
      await store.create('a', record({ owner: null }))
      const found = await store.find('a')
      assert.isNull(found!.record.owner)
    })

    test('a change takes effect once, on the version that it is based on', async ({ assert }) => {
      await store.create('a', record())
      const { version } = (await store.find('a'))!
      const done = record({ status: 'completed', outcome: { result: { content: [] } } })
      assert.isTrue(await store.replace('a', version, done))
      assert.isFalse(await store.replace('a', version, record({ status: 'cancelled' })))
      const found = await store.find('a')
      assert.deepEqual(found!.record, done)
      assert.isTrue(await store.replace('a', found!.version, record({ status: 'cancelled' })))
    })

    test('of changes at the same time one takes effect', async ({ assert }) => {
      await store.create('a', record())
      const { version } = (await store.find('a'))!
      const outcomes = await Promise.all(
        [1, 2, 3, 4].map((rounds) => store.replace('a', version, record({ rounds })))
      )
      assert.lengthOf(outcomes.filter(Boolean), 1)
    })

    test('a task that is gone is not changed', async ({ assert }) => {
      assert.isFalse(await store.replace('a', 1, record()))
      assert.isNull(await store.find('a'))
    })

    test('a purge deletes what has expired, and nothing else', async ({ assert }) => {
      await store.create('past', record({ expiresAt: NOW - 1 }))
      await store.create('now', record({ expiresAt: NOW }))
      await store.create('future', record({ expiresAt: NOW + 1 }))
      assert.equal(await store.purge(NOW), 2)
      assert.isNull(await store.find('past'))
      assert.isNull(await store.find('now'))
      assert.isNotNull(await store.find('future'))
    })

    test('what is read is not shared with the store', async ({ assert }) => {
      await store.create('a', record())
      const found = await store.find('a')
      found!.record.status = 'failed'
      const again = await store.find('a')
      assert.equal(again!.record.status, 'working')
    })
  })
}

test.group('MCP task store in memory', () => {
  test('keeps so many tasks at most: the oldest makes room', async ({ assert }) => {
    const store = new MemoryTaskStore(2)
    store.create('first', record())
    store.create('second', record())
    assert.isTrue(store.replace('first', 1, record({ status: 'completed' })))
    store.create('third', record())
    assert.isNull(store.find('first'))
    assert.isNotNull(store.find('second'))
    assert.isNotNull(store.find('third'))
  })

  test('keeps ten thousand of them unless it is told otherwise', ({ assert }) => {
    const store = new MemoryTaskStore()
    for (let task = 0; task <= 10_000; task++) {
      store.create(`${task}`, record())
    }
    assert.isNull(store.find('0'))
    assert.isNotNull(store.find('1'))
  })
})

test.group('A change of a record', () => {
  /** A store in which a creation fails, after another process has done it or not. */
  class Failing extends MemoryTaskStore {
    constructor(readonly isTaken: boolean) {
      super()
    }

    override create(key: string, made: TaskRecord, version?: number) {
      if (version === undefined) {
        this.isTaken && super.create(key, record({ state: 'of another process' }))
        throw new Error('The key is there')
      }
      super.create(key, made, version)
    }
  }

  test('is made on the record that another process has created first', async ({ assert }) => {
    const seen: unknown[] = []
    const changed = await changeRecord(new Failing(true), 'a', (found) => {
      seen.push(found?.state)
      return record({ state: 'mine' })
    })
    assert.deepEqual(seen, [undefined, 'of another process'])
    assert.equal(changed!.state, 'mine')
  })

  test('fails when the record cannot be created', async ({ assert }) => {
    const change = () => changeRecord(new Failing(false), 'a', () => record())
    await assert.rejects(change, 'The key is there')
  })
})
