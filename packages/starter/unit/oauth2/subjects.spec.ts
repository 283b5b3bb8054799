import { test } from '@japa/runner'
import { decodeJwt } from 'jose'

import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { hasSharedSubjects, subjectsOf } from '#kit/oauth2/openid/subjects'
import { accessTokensOf } from '#starter/helpers/keys'
import { authorizationServer, useConfig } from '#starter/helpers/oauth'
import { accessToken } from '#starter/helpers/oauth_records'

const PROVIDERS = ['users', 'admins']

/** Subjects where `users` is the user provider of the default guard. */
function subjects(uniqueSubjects = false) {
  const server = {
    manager: {
      usersOf: () => ({ name: 'users' }),
      hasUsers: (provider: string) => PROVIDERS.includes(provider),
    },
    repository: { find: () => null },
    config: { openid: { enabled: true, pairwiseSalt: null }, uniqueSubjects },
  }
  return subjectsOf(server as unknown as AuthorizationServer)
}

test.group('Subjects over several user providers (OpenID Connect Core 1.0 §2, sub)', () => {
  test('the ids of the default provider are as they are, others have its name before them', async ({
    assert,
  }) => {
    assert.equal(await subjects()({ provider: 'users', userId: '7' }, null), '7')
    assert.equal(await subjects()({ provider: 'admins', userId: '7' }, null), 'admins|7')
  })

  test('no two users have the same, however their ids look', async ({ assert }) => {
    const ids = ['7', 'admins|7', 'users|7', 'users|admins|7', 'other|7', 'admins|admins|7', '|7']
    const seen = new Map<string, string>()
    for (const provider of PROVIDERS) {
      for (const userId of ids) {
        const subject = await subjects()({ provider, userId }, null)
        assert.isFalse(seen.has(subject), `${provider} ${userId} is ${seen.get(subject)}`)
        seen.set(subject, `${provider} ${userId}`)
      }
    }
  })

  test('an access token of a second provider says it too, and only with OpenID Connect', async ({
    assert,
  }) => {
    const { keys } = await authorizationServer()
    const record = accessToken({ userId: '7', provider: 'admins' })
    const told = accessTokensOf(keys, null, subjects())
    assert.equal(decodeJwt(await told.sign(record)).sub, 'admins|7')
    assert.equal(decodeJwt(await accessTokensOf(keys).sign(record)).sub, '7')
  })
})

test.group('uniqueSubjects', () => {
  test('puts the name of the provider before every id, with OpenID Connect and without', async ({
    assert,
  }) => {
    const user = { provider: 'users', userId: '1' }
    assert.equal(await subjects(true)(user, null), 'users|1')
    assert.equal(await subjects(true)({ ...user, provider: 'admins' }, null), 'admins|1')
    const { accessTokens } = await useConfig({ uniqueSubjects: true })
    const record = accessToken({ userId: '1', provider: 'users' })
    assert.equal(decodeJwt(await accessTokens.sign(record)).sub, 'users|1')
  })

  test('is asked for where two providers would share a sub', ({ assert }) => {
    const config = { uniqueSubjects: false, openid: { enabled: false } }
    assert.isTrue(hasSharedSubjects(config, PROVIDERS))
    assert.isFalse(hasSharedSubjects(config, ['users']))
    assert.isFalse(hasSharedSubjects({ ...config, uniqueSubjects: true }, PROVIDERS))
    assert.isFalse(hasSharedSubjects({ ...config, openid: { enabled: true } }, PROVIDERS))
  })
})
