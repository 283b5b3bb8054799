import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import type User from '#models/user'
import { ApiToken } from '#kit/api_token/facade'
import { endEverything } from '#kit/accounts/ending'
import { middleware } from '#start/kernel'
import { sendSlowly } from '#starter/helpers/raw_socket'
import { Visitor } from '#starter/helpers/visitor'

const PATH = '/_test/http/slow-upload'

router
  .post(PATH, ({ request }) => ({ kept: request.file('file')?.clientName }))
  .use([middleware.auth({ guards: ['web', 'api'] }), middleware.files()])

const HEAD = 'Content-Disposition: form-data; name="file"; filename="a.txt"'
const BODY = `--b\r\n${HEAD}\r\nContent-Type: text/plain\r\n\r\ncontent\r\n--b--\r\n`

/** What authenticates an upload of a person. */
const CALLERS = {
  'a session': async ({ email }: User) => {
    const visitor = new Visitor()
    await visitor.login(email, FACTORY_PASSWORD)
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return { 'Cookie': cookie, 'X-XSRF-TOKEN': visitor.csrfToken }
  },
  'an API token': async (user: User) => {
    const { plainText } = await ApiToken.create(user)
    return { Authorization: `Bearer ${plainText}` }
  },
}

/** An upload whose last bytes come later. @param meanwhile what happens before they do */
const upload = (headers: Record<string, string>, meanwhile: () => Promise<unknown>) =>
  sendSlowly(
    PATH,
    { 'Content-Type': 'multipart/form-data; boundary=b', ...headers },
    BODY,
    meanwhile
  )

test.group('Slow uploads', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('{$self} that is ended while the files arrive is not accepted')
    .with(Object.keys(CALLERS) as (keyof typeof CALLERS)[])
    .run(async ({ assert }, name) => {
      const user = await UserFactory.create()
      const headers = await CALLERS[name](user)
      assert.include(await upload(headers, async () => {}), '{"kept":"a.txt"}')
      const answer = await upload(headers, () => endEverything(user))
      assert.match(answer, /^HTTP\/1\.1 401 /)
      assert.notInclude(answer, 'kept')
    })
    .timeout(10_000)

  test('{$self} of somebody who is deactivated while the files arrive is not accepted')
    .with(Object.keys(CALLERS) as (keyof typeof CALLERS)[])
    .run(async ({ assert }, name) => {
      const user = await UserFactory.create()
      const headers = await CALLERS[name](user)
      const answer = await upload(headers, () => user.merge({ isActive: false }).save())
      assert.match(answer, /^HTTP\/1\.1 401 /)
      assert.notInclude(answer, 'kept')
    })
    .timeout(10_000)
})
