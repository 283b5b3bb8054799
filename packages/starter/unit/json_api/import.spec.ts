import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { execute } from '#starter/helpers/execute'

test.group('A resource outside of an application', () => {
  test('can be imported, and makes documents of what it is given', async ({ assert }) => {
    const code = `
      await import('@poppinss/ts-exec')
      const { JsonResource } = await import('#kit/json_api/json_resource')
      await import('./app/resources/post_resource.ts')
      class SongResource extends JsonResource {}
      const document = await SongResource.collection([{ id: 1, title: 'One' }]).serialize()
      console.log(JSON.stringify(document))
    `
    const args = ['--input-type=module', '--eval', code]
    const { output } = await execute('node', args, { cwd: app.makePath() })
    const data = [{ type: 'songs', id: '1', attributes: { id: 1, title: 'One' } }]
    assert.deepEqual(JSON.parse(output), { data })
  })
})
