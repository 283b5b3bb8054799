import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { ApiToken } from 'adonis-auth-kit/api_token'
import { PostFactory } from '#database/factories/post_factory'
import { UserFactory } from '#database/factories/user_factory'
import { execute } from '#starter/helpers/execute'
import { serverUrl } from '#starter/helpers/server_url'

const FOLDER = app.makePath('packages/starter/fixtures/typed_client')

test.group('The client of Tuyau', () => {
  test('compiles calls of the application and of the kit, and no mistakes', async () => {
    await execute(app.makePath('node_modules/.bin/tsc'), ['--project', FOLDER], { cwd: FOLDER })
  })

  test('reads who is calling, and a document of JSON:API', async ({ assert }) => {
    const user = await UserFactory.create()
    const post = await PostFactory.merge({ userId: user.id }).create()
    const { plainText } = await ApiToken.create(user, { name: 'tuyau', abilities: ['posts:read'] })
    const { calls } = await import(`${FOLDER}/calls.ts`)
    assert.deepEqual(await calls(await serverUrl(), plainText, post.id), {
      email: user.email,
      client: null,
      title: post.title,
    })
  })
})
