import router from '@adonisjs/core/services/router'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { endSessions, listTokens } from '#kit/accounts/ending'
import { ApiToken } from '#kit/api_token/facade'
import { AccountProof } from '#kit/auth/account_proof'
import { answerLogin } from '#kit/auth/login_answers'
import { MailCodeStep } from '#kit/mail_code/mail_codes'
import { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { authManager } from '#starter/helpers/passwords'
import { hideBinding } from '#starter/helpers/replace'
import { Visitor, signedIn } from '#starter/helpers/visitor'

router.get('/_test/missing/step', (ctx) => answerLogin(ctx, false))

/** Takes features away until the test ends, as in an application that never had them. */
async function without(...names: ('sessions' | 'mailCodes' | 'apiTokens')[]) {
  const manager = await authManager()
  for (const name of names) {
    const original = manager.feature(name)!
    manager.registerFeature(name, undefined as never)
    getActiveTest()!.cleanup(() => void manager.registerFeature(name, original))
  }
}

test.group('An application without a feature', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('codes by mail are no way to prove who asks, and no step of a login', async ({ assert }) => {
    const user = await UserFactory.create()
    await without('mailCodes')
    assert.isFalse((await new AccountProof().waysOf(user)).mailCode)
    assert.isFalse(await new MailCodeStep(() => undefined).isRequired(user))
  })

  test('a person without sessions has none that end', async ({ assert }) => {
    const { user } = await signedIn()
    assert.equal(await endSessions(user), 1)
    await without('sessions')
    assert.equal(await endSessions(user), 0)
  })

  test('a person has no tokens of a kind that is not there', async ({ assert }) => {
    const user = await UserFactory.create()
    await ApiToken.create(user, 'a-name', [])
    const kinds = async () => (await listTokens(user)).map(({ kind }) => kind)
    hideBinding(AuthorizationServer)
    assert.deepEqual(await kinds(), ['API token'])
    await without('apiTokens')
    assert.isEmpty(await kinds())
  })

  test('whoever is missing no step of a login that failed begins again', async ({ assert }) => {
    const program = await new Visitor().get('/_test/missing/step')
    assert.deepEqual(await program.json(), {})
    const page = await new Visitor().get('/_test/missing/step', {
      headers: { accept: 'text/html' },
    })
    assert.equal(page.headers.get('location'), '/login')
  })
})
