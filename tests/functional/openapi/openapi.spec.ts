import { test } from '@japa/runner'

test.group('OpenAPI', () => {
  test('GET /openapi.json describes the routes', async ({ assert, client }) => {
    const response = await client.get('/openapi.json')
    response.assertStatus(200)
    assert.equal(response.body().openapi, '3.1.0')
    assert.property(response.body().paths, '/api/me')
  })
})
