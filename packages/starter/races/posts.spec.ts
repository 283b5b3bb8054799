import { randomBytes } from 'node:crypto'

import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import Post from '#models/post'
import { cluster } from '#starter/helpers/cluster'
import { runInWorkspace } from '#kit/workspaces/current_workspace'
import { COMMON_ID } from '#kit/workspaces/define_config'

const ROUNDS = Number(process.env.RACE_ROUNDS ?? 20)

test.group('Posts across processes', () => {
  test('of many removals of a post at once one succeeds, and a change finds it or does not', async ({
    assert,
  }) => {
    const urls = await cluster()
    const email = `${randomBytes(12).toString('hex')}@example.com`
    const user = await UserFactory.merge({ email }).create()
    const { plainText } = await ApiToken.create(user, { abilities: ['*'] })
    const type = 'application/vnd.api+json'
    const headers = {
      'accept': type,
      'content-type': type,
      'authorization': `Bearer ${plainText}`,
    }
    for (let round = 0; round < ROUNDS; round++) {
      const made = { title: 'A title', body: 'A body', userId: user.id }
      const { id } = await runInWorkspace(COMMON_ID, () => Post.create(made))
      const path = `/api/posts/${id}`
      const data = { type: 'posts', id: String(id), attributes: { title: 'Another' } }
      const changing = fetch(urls[0] + path, {
        method: 'PATCH',
        headers,
        body: JSON.stringify({ data }),
      })
      const removals = await Promise.all(
        urls.map((url) => fetch(url + path, { method: 'DELETE', headers }))
      )
      const statuses = removals.map(({ status }) => status).sort()
      assert.deepEqual(statuses, [204, ...urls.slice(1).map(() => 404)], `round ${round}`)
      assert.include([200, 404], (await changing).status, `round ${round}`)
    }
  })
})
