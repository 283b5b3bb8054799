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

  test('includes a resource that its relationships make of the model', async ({ assert }) => {
    const code = `
      await import('@poppinss/ts-exec')
      const { JsonResource } = await import('#kit/json_api/json_resource')
      class BandResource extends JsonResource {}
      class SongResource extends JsonResource {
        toRelationships() {
          return { band: new BandResource(this.resource.band) }
        }
      }
      const song = { id: 1, band: { id: 2, name: 'Two' }, serialize: () => ({ title: 'One' }) }
      console.log(JSON.stringify(await new SongResource(song).include('band').serialize()))
    `
    const args = ['--input-type=module', '--eval', code]
    const { output } = await execute('node', args, { cwd: app.makePath() })
    const band = { type: 'bands', id: '2' }
    assert.deepEqual(JSON.parse(output), {
      data: {
        type: 'songs',
        id: '1',
        attributes: { title: 'One' },
        relationships: { band: { data: band } },
      },
      included: [{ ...band, attributes: { id: 2, name: 'Two' } }],
    })
  })
})
