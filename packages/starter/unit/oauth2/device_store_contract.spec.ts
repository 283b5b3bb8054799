import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

import type { DeviceRecord, DeviceStore } from '#kit/oauth2/device/device_store'
import type { TokenStore } from '#kit/oauth2/tokens/token_store'
import { useSecondConnection } from '#starter/helpers/databases'
import { CREATED, EXPIRES, LATER, STORES, waitingDevice } from '#starter/helpers/oauth_records'

for (const { name, connection, tokens } of STORES) {
  test.group(`Device store contract | ${name}`, (group) => {
    let store: TokenStore
    let devices: DeviceStore
    const clean = async () => {
      await db.connection(connection).from('oauth_device_authorizations').delete()
    }
    group.setup(() => (connection ? useSecondConnection() : undefined))
    group.teardown(clean)
    group.each.setup(async () => {
      store = tokens()
      devices = store.devices
      await clean()
    })

    async function inserted(fields?: Partial<DeviceRecord>) {
      const record = waitingDevice(fields)
      await devices.insert(record)
      return record
    }
    const find = async ({ deviceCodeHash }: DeviceRecord) => (await devices.find(deviceCodeHash))!

    test('reads back what was inserted, by either code', async ({ assert }) => {
      const record = waitingDevice()
      assert.isTrue(await devices.insert(record))
      assert.deepEqual(await find(record), record)
      assert.deepEqual(await devices.findByUserCode(record.userCodeHash), record)
      assert.isNull(await devices.find('unknown'))
      assert.isNull(await devices.findByUserCode('unknown'))
    })

    test('a user code that is in use leads to no other device', async ({ assert }) => {
      const first = await inserted()
      const second = waitingDevice({ userCodeHash: first.userCodeHash })
      assert.isFalse(await devices.insert(second))
      assert.isNull(await devices.find(second.deviceCodeHash))
    })

    test('of many decisions at once the first one counts', async ({ assert }) => {
      const record = await inserted()
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          devices.decide(
            record.deviceCodeHash,
            index % 2 ? { approved: false } : { approved: true, codeHash: `code ${index}` },
            LATER
          )
        )
      )
      assert.lengthOf(results.filter(Boolean), 1)
      const { decision, codeHash } = await find(record)
      assert.equal(codeHash !== null, decision === 'approved')
    })

    test('keeps what was decided: an approval with the key of its code, a denial without', async ({
      assert,
    }) => {
      const [allowed, denied] = [await inserted(), await inserted()]
      const approval = { approved: true, codeHash: 'key of the code' } as const
      assert.isTrue(await devices.decide(allowed.deviceCodeHash, approval, LATER))
      assert.isTrue(await devices.decide(denied.deviceCodeHash, { approved: false }, LATER))
      const { codeHash } = approval
      assert.deepEqual(await find(allowed), { ...allowed, decision: 'approved', codeHash })
      assert.deepEqual(await find(denied), { ...denied, decision: 'denied' })
    })

    test('what has expired can be decided no more', async ({ assert }) => {
      const record = await inserted()
      assert.isFalse(await devices.decide(record.deviceCodeHash, { approved: false }, EXPIRES))
      assert.isNull((await find(record)).decision)
    })

    test('a poll that is early makes the interval 5 seconds longer, up to a minute', async ({
      assert,
    }) => {
      const record = await inserted()
      assert.isTrue(await devices.poll(record.deviceCodeHash, CREATED))
      assert.isTrue(await devices.poll(record.deviceCodeHash, CREATED + 4_000), 'a second early')
      assert.isFalse(await devices.poll(record.deviceCodeHash, CREATED + 7_999))
      assert.equal((await find(record)).interval, 10)
      assert.isTrue(await devices.poll(record.deviceCodeHash, CREATED + 17_999))
      for (let poll = 0; poll < 20; poll++) {
        assert.isFalse(await devices.poll(record.deviceCodeHash, CREATED + 18_000))
      }
      assert.equal((await find(record)).interval, 60)
      assert.isFalse(await devices.poll('unknown', CREATED))
    })

    test('an interval that is longer than a minute stays as it is', async ({ assert }) => {
      const record = await inserted({ interval: 90 })
      assert.isTrue(await devices.poll(record.deviceCodeHash, CREATED))
      assert.isFalse(await devices.poll(record.deviceCodeHash, CREATED + 60_000))
      assert.equal((await find(record)).interval, 90)
    })

    test('a purge leaves expired ones for ten minutes, so that their devices are told', async ({
      assert,
    }) => {
      const record = await inserted()
      assert.equal(await store.purge(EXPIRES + 599_999, CREATED), 0)
      assert.equal(await store.purge(EXPIRES + 600_000, CREATED), 1)
      assert.isNull(await devices.find(record.deviceCodeHash))
    })
  })
}
