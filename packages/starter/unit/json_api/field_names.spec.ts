import { test } from '@japa/runner'

import { JsonResource } from '#kit/json_api/json_resource'

test.group('Names of fields', () => {
  const names = ['type', '_x', 'x_', 'a.b', 'a b ', '', '@odata', '__proto__', 'a/b']

  test('that JSON:API forbids are an error that says what to do, and are never sent', async ({
    assert,
  }) => {
    for (const name of names) {
      class EventResource extends JsonResource {}
      const model = JSON.parse(`{"id":1,${JSON.stringify(name)}:"x"}`)
      await assert.rejects(() => new EventResource(model).serialize(), /cannot have a field/)

      class LinkedResource extends JsonResource {
        toRelationships() {
          return { [name]: () => null }
        }
      }
      if (name !== '__proto__') {
        await assert.rejects(() => new LinkedResource({ id: 1 }).serialize(), /cannot have a field/)
      }
    }
  })

  test('may be hidden, or given another name', async ({ assert }) => {
    for (const name of names) {
      const model = JSON.parse(`{"id":1,${JSON.stringify(name)}:"x"}`)
      class HiddenResource extends JsonResource {
        static hidden = ['id', name]
      }
      const hidden = await new HiddenResource(model).serialize()
      assert.deepEqual(hidden.data!.attributes, {})

      class RenamedResource extends JsonResource {
        static hidden = ['id']
        static renamed = JSON.parse(`{${JSON.stringify(name)}:"kind"}`)
      }
      const renamed = await new RenamedResource(model).serialize()
      assert.deepEqual(renamed.data!.attributes, { kind: 'x' })
    }
  })
})
