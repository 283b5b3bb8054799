import { test } from '@japa/runner'

import type { AuthorizationServer } from '#kit/oauth2/authorization_server'
import { UsedGrants } from '#kit/oauth2/user_grants/used_grants'
import { accessToken } from '#starter/helpers/oauth_records'
import { stopClock } from '#starter/helpers/time'

const CONTEXT = { team: 1 }

/** What is read of grants, written of uses and logged. */
function observe(grant: object | null = { context: CONTEXT, lastUsedAt: null }) {
  const [reads, written, logged]: unknown[][] = [[], [], []]
  const recordUse = (...use: unknown[]): void => void written!.push(use)
  const grants = {
    recordUse,
    find(id: string) {
      reads!.push(id)
      return grant
    },
  }
  const store = { grants, recordUse }
  const logger = { error: (...entry: unknown[]) => void logged!.push(entry) }
  const used = new UsedGrants({ tokens: store, logger } as unknown as AuthorizationServer)
  return { used, reads, written, logged, store }
}

test.group('Uses of grants and personal access tokens', () => {
  test('a grant is read once, and a use of it is written once a minute', async ({ assert }) => {
    const advance = stopClock()
    const start = Date.now()
    const { used, reads, written } = observe()
    for (const seconds of [0, 0, 59, 1]) {
      advance(seconds)
      assert.deepEqual(await used.use('grant'), CONTEXT)
    }
    await used.settled()
    assert.deepEqual(reads, ['grant'])
    assert.deepEqual(written, [
      ['grant', start, start - 60_000],
      ['grant', start + 60_000, start],
    ])
  })

  test('a use that another process has written is not written again in its minute', async ({
    assert,
  }) => {
    stopClock()
    for (const [ago, times] of [
      [59_999, 0],
      [60_000, 1],
    ] as const) {
      const { used, written } = observe({ context: null, lastUsedAt: Date.now() - ago })
      assert.isNull(await used.use('grant'))
      used.usePersonal(accessToken({ lastUsedAt: Date.now() - ago }))
      await used.settled()
      assert.lengthOf(written!, 2 * times)
    }
  })

  test('the first use of a personal access token is written', async ({ assert }) => {
    stopClock()
    const { used, written } = observe()
    const token = accessToken()
    used.usePersonal(token)
    await used.settled()
    assert.deepEqual(written, [[token.jti, Date.now(), Date.now() - 60_000]])
  })

  test('a grant that is gone has no context', async ({ assert }) => {
    assert.isNull(await observe(null).used.use('grant'))
  })

  test('a use that cannot be written is logged, and fails nobody', async ({ assert }) => {
    const { used, logged, store } = observe()
    const err = new Error('no database')
    store.recordUse = () => {
      throw err
    }
    used.usePersonal(accessToken())
    await used.settled()
    assert.deepEqual(logged, [[{ err }, 'Cannot record the use of a grant or token']])
  })
})
