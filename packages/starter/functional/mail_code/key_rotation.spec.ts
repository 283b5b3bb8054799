import { Encryption } from '@adonisjs/core/encryption'
import { AES256GCM } from '@adonisjs/core/encryption/drivers/aes_256_gcm'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { isolate } from '#starter/helpers/oauth'
import { askForCode, otherThan, typeCode, useMailCodes } from '#starter/helpers/mail_code'
import { Visitor, isSignedIn } from '#starter/helpers/visitor'

const [OLD, NEW] = ['a key of before, for tests', 'a key of today, for tests']
const keyed = (...keys: string[]) =>
  new Encryption({ driver: (key) => new AES256GCM({ id: 'gcm', key }), keys })

test.group('Codes by mail while the key changes', (group) => {
  group.each.setup(isolate)

  test('a server whose first key is another one takes the code, and no wrong one', async ({
    assert,
  }) => {
    const mails = await useMailCodes({}, keyed(OLD, NEW))
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const visitor = new Visitor()
    await askForCode(visitor, user.email)
    await useMailCodes({}, keyed(NEW, OLD))
    const { code } = mails.at(-1)!
    assert.equal((await typeCode(visitor, otherThan(code))).status, 422)
    assert.equal((await typeCode(visitor, code)).status, 200)
    assert.isTrue(await isSignedIn(visitor))
  })

  test('a server without the key of the code does not take it', async ({ assert }) => {
    const mails = await useMailCodes({}, keyed(OLD))
    const user = await UserFactory.merge({ emailVerifiedAt: Date.now() }).create()
    const visitor = new Visitor()
    await askForCode(visitor, user.email)
    await useMailCodes({}, keyed(NEW))
    assert.equal((await typeCode(visitor, mails.at(-1)!.code)).status, 422)
  })
})
