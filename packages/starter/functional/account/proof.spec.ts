import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { FACTORY_PASSWORD } from '#database/factories/user_factory'
import User from '#models/user'
import { usePasskeys } from '#starter/helpers/passkeys'
import { Authenticator } from '#starter/helpers/software_authenticator'
import { limit } from '#starter/helpers/limits'
import { stopClock } from '#starter/helpers/time'
import { codeOf, turnOn, wrongCodeOf } from '#starter/helpers/two_factor'
import { type Visitor, signedIn } from '#starter/helpers/visitor'

const PAGE = { accept: 'text/html' }
const NEW_ADDRESS = 'another@example.com'

/** Somebody with a second factor and a passkey, who signed in long ago. */
async function person() {
  const tick = stopClock()
  const { origin, rpId } = await usePasskeys()
  const { user, visitor } = await signedIn()
  const authenticator = new Authenticator(origin, rpId)
  const response = authenticator.create(await optionsOf(visitor, '/account/passkeys'))
  await visitor.send('/account/passkeys', { name: 'My laptop', response })
  const factor = await turnOn(user)
  tick(900)
  return { user, visitor, authenticator, ...factor }
}

type Person = Awaited<ReturnType<typeof person>>

async function optionsOf(visitor: Visitor, path: string): Promise<any> {
  const response = await visitor.send(`${path}/options`)
  return response.json()
}

async function passkeyAnswer({ authenticator }: Person, visitor: Visitor) {
  return { response: authenticator.get(await optionsOf(visitor, '/confirm/passkey')) }
}

const PROOFS: { what: string; of: (one: Person) => object | Promise<object> }[] = [
  {
    what: 'the password',
    of: () => ({ password: FACTORY_PASSWORD, current_password: FACTORY_PASSWORD }),
  },
  { what: 'a code of the second factor', of: ({ secret }) => ({ code: codeOf(secret) }) },
  { what: 'a recovery code', of: ({ recoveryCodes }) => ({ recovery_code: recoveryCodes[0] }) },
  { what: 'a passkey', of: (one) => passkeyAnswer(one, one.visitor) },
]

const NO_PROOFS: {
  what: string
  of: (one: Person) => object | Promise<object>
  /** The field that is complained of, and the rule. */
  complaint: [field: string, rule: string]
}[] = [
  { what: 'nothing', of: () => ({}), complaint: ['password', 'required'] },
  {
    what: 'a wrong password',
    of: () => ({ password: 'wrong', current_password: 'wrong' }),
    complaint: ['password', 'currentPassword'],
  },
  {
    what: 'a wrong password with a right code',
    of: ({ secret }) => ({ password: 'wrong', current_password: 'wrong', code: codeOf(secret) }),
    complaint: ['password', 'currentPassword'],
  },
  {
    what: 'a wrong code',
    of: ({ secret }) => ({ code: wrongCodeOf(secret) }),
    complaint: ['code', 'secondFactor'],
  },
  {
    what: 'an unknown recovery code',
    of: () => ({ recovery_code: 'not one of them' }),
    complaint: ['recovery_code', 'secondFactor'],
  },
  {
    what: 'a passkey that nobody has',
    of: () => ({ response: { id: 'x' } }),
    complaint: ['response', 'passkey'],
  },
  {
    what: 'a text that is no passkey',
    of: () => ({ response: 'no JSON' }),
    complaint: ['response', 'object'],
  },
  {
    what: 'the passkey of somebody else',
    async of({ visitor }) {
      const other = await person()
      return passkeyAnswer(other, visitor)
    },
    complaint: ['response', 'passkey'],
  },
]

test.group('Deleting an account', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('needs one proof, and {what} is one')
    .with(PROOFS)
    .run(async ({ assert }, { of }) => {
      const one = await person()
      const response = await one.visitor.send('/account/delete', await of(one))
      assert.equal(response.status, 204)
      assert.isNull(await User.find(one.user.id))
    })

  test('{what} is no proof: 422')
    .with(NO_PROOFS)
    .run(async ({ assert }, { of, complaint }) => {
      const one = await person()
      const response = await one.visitor.send('/account/delete', await of(one))
      assert.equal(response.status, 422)
      const { errors }: any = await response.json()
      assert.deepEqual([errors[0].field, errors[0].rule], complaint)
      assert.isNotNull(await User.find(one.user.id))
    })
})

test.group('Changing the e-mail address', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('needs one proof, and {what} is one')
    .with(PROOFS)
    .run(async ({ assert }, { of }) => {
      const one = await person()
      const proof = await of(one)
      const response = await one.visitor.send('/account/email', { email: NEW_ADDRESS, ...proof })
      assert.equal(response.status, 200)
      await one.user.refresh()
      assert.equal(one.user.proposedEmail, NEW_ADDRESS)
    })

  test('{what} is no proof: 422')
    .with(NO_PROOFS)
    .run(async ({ assert }, { of }) => {
      const one = await person()
      const proof = await of(one)
      const response = await one.visitor.send('/account/email', { email: NEW_ADDRESS, ...proof })
      assert.equal(response.status, 422)
      await one.user.refresh()
      assert.isNull(one.user.proposedEmail)
    })
})

test.group('Proof on the pages of the account', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a fresh sign-in is no proof: {path}')
    .with([{ path: '/account/delete' }, { path: '/account/email' }])
    .run(async ({ assert }, { path }) => {
      const { visitor } = await signedIn()
      for (const guess of [{}, { password: 'not my secret' }]) {
        const response = await visitor.send(path, { email: NEW_ADDRESS, ...guess })
        assert.equal(response.status, 422)
      }
    })

  test('{path} offers what the person has, and nothing else')
    .with([{ path: '/account/delete' }, { path: '/account/email' }])
    .run(async ({ assert }, { path }) => {
      const { visitor } = await person()
      const full = await (await visitor.get(path, { headers: PAGE })).text()
      assert.include(full, 'autocomplete="one-time-code"')
      assert.include(full, 'data-options="/confirm/passkey/options"')

      const { visitor: plain } = await signedIn()
      const page = await (await plain.get(path, { headers: PAGE })).text()
      assert.notInclude(page, 'one-time-code')
      assert.notInclude(page, 'data-passkey')
    })

  test('guesses are limited', async ({ assert }) => {
    const { visitor } = await person()
    await limit({ failedLogins: { perSubjectAndAddress: { attempts: 2, seconds: 60 } } })
    for (const status of [422, 422, 429]) {
      const response = await visitor.send('/account/delete', { password: 'wrong' })
      assert.equal(response.status, status)
    }
  })
})
