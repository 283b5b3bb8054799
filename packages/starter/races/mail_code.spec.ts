import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import SessionModel from '#kit/session/models/session'
import { typeCode } from '#starter/helpers/mail_code'
import { startMailServer } from '#starter/helpers/mail_server'
import { startServer } from '#starter/helpers/server_process'
import { Visitor } from '#starter/helpers/visitor'

test.group('A code by mail, over two processes', () => {
  test('the same code at both at once: one session; wrong ones share five tries', async ({
    assert,
  }) => {
    const smtp = await startMailServer()
    const env = { ...smtp.env, MAIL_CODE_SIGN_IN: 'true' }
    const urls = await Promise.all([startServer(env), startServer(env)])
    const ask = async () => {
      const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
      const visitor = new Visitor()
      await visitor.post(`${urls[0]}/login/code`, { json: { email: user.email } })
      const { text } = await smtp.next('Your code for AdonisJS starter')
      return { user, visitor, code: /It is (\d{6})\./.exec(text!)![1]! }
    }
    /* The cookies of the first answer would end the others: each request has those of before. */
    const copyOf = ({ cookies }: Visitor) => {
      const copy = new Visitor()
      cookies.forEach((value, name) => copy.cookies.set(name, value))
      return copy
    }
    const sendAll = (visitor: Visitor, codes: string[]) =>
      Promise.all(
        codes.map((code, at) =>
          typeCode(copyOf(visitor), code, `${urls[at % 2]}/login/code/verify`)
        )
      )

    for (let round = 0; round < 5; round++) {
      const { user, visitor, code } = await ask()
      const answers = await sendAll(visitor, [code, code, code, code])
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        1
      )
      assert.lengthOf(await SessionModel.query().where('user_id', String(user.id)), 1)
    }

    const { visitor, code } = await ask()
    const wrong = Array.from({ length: 20 }, (_, guess) => String(guess).padStart(6, '0'))
    const guesses = await sendAll(
      visitor,
      wrong.filter((guess) => guess !== code)
    )
    assert.isAtMost(guesses.filter(({ status }) => status === 422).length, 5)
    const [late] = await sendAll(visitor, [code])
    assert.notEqual(late!.status, 200)
  })
})
