import { test } from '@japa/runner'

test.group('Operations', () => {
  test('GET {path} says that this process is well')
    .with([{ path: '/health' }, { path: '/health/ready' }, { path: '/health/live' }])
    .run(async ({ client }, { path }) => {
      const response = await client.get(path)
      response.assertStatus(200)
    })

  test('an unknown path is 404, a known one under another method 405', async ({ client }) => {
    const unknown = await client.get('/no/such/path')
    unknown.assertStatus(404)
    const method = await client.delete('/health')
    method.assertStatus(405)
  })
})
