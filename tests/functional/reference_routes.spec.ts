import { test } from '@japa/runner'

test.group('Reference routes', () => {
  test('GET / answers 200 with an empty body', async ({ client, assert }) => {
    const response = await client.get('/')
    response.assertStatus(200)
    assert.equal(response.text(), '')
  })

  test('GET /user/:id answers the id as plain text', async ({ client, assert }) => {
    for (const id of ['42', 'virk', '<b>x</b>']) {
      const response = await client.get(`/user/${encodeURIComponent(id)}`)
      response.assertStatus(200)
      assert.match(response.header('content-type')!, /^text\/plain/)
      assert.equal(response.text(), id)
    }
  })

  test('POST /user answers 200 with an empty body, whatever the content type', async ({
    client,
    assert,
  }) => {
    for (const type of ['application/json', 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await client.post('/user').header('Content-Type', type)
      response.assertStatus(200)
      assert.equal(response.text(), '')
    }
  })
})
