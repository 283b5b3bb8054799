import { test } from '@japa/runner'

import { FACTORY_PASSWORD, UserFactory } from '#database/factories/user_factory'
import { countHashes } from '#starter/helpers/passwords'
import { Visitor } from '#starter/helpers/visitor'

test.group('Equal work', () => {
  test('an unknown e-mail, a wrong password and an inactive user cost one hash each, and get the same answer', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const inactive = await UserFactory.merge({ isActive: false }).create()
    const answers = new Set<string>()
    for (const [email, password] of [
      ['nobody@example.com', FACTORY_PASSWORD],
      [user.email, 'wrong'],
      [inactive.email, FACTORY_PASSWORD],
      [inactive.email, 'wrong'],
    ]) {
      const hashes = await countHashes(async () => {
        const response = await new Visitor().post('/login', { json: { email, password } })
        answers.add(`${response.status} ${await response.text()}`)
      })
      assert.equal(hashes, 1, email)
    }
    assert.lengthOf([...answers], 1)
    assert.match([...answers][0]!, /^401 .*"invalid_session"/)
  })
})
