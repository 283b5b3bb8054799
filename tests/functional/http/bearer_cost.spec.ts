import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

import { HttpContext } from '@adonisjs/core/http'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'

import { ApiToken } from '#api_token/facade'
import { UserFactory } from '#database/factories/user_factory'
import { SessionValues } from '#session/session_values'
import { obtainTokens, registerClient, signedIn } from '#tests/helpers/oauth'
import { Visitor } from '#tests/helpers/visitor'

const CALLS = ['stat', 'lstat', 'access', 'open', 'opendir', 'readdir', 'readFile']

/** Notes every look at the disk, view, session and exception until the test ends. */
function watch(): string[] {
  const seen: string[] = []
  const restore: (() => void)[] = []
  function spy(target: any, name: string, label: string) {
    const original = target[name]
    if (typeof original === 'function') {
      target[name] = function (this: unknown, ...parameters: unknown[]) {
        seen.push(label)
        return original.apply(this, parameters)
      }
      restore.push(() => (target[name] = original))
    }
  }
  for (const name of CALLS) {
    spy(fs, name, name)
    spy(fs, `${name}Sync`, `${name}Sync`)
    spy(fs.promises, name, `promises.${name}`)
  }
  syncBuiltinESMExports()
  spy(SessionValues.prototype, 'load', 'session')
  /* Every exception of AdonisJS and of the kit takes its stack with it. */
  spy(Error, 'captureStackTrace', 'exception')

  const view = Object.getOwnPropertyDescriptor(HttpContext.prototype, 'view')!
  Object.defineProperty(HttpContext.prototype, 'view', {
    ...view,
    get() {
      seen.push('view')
      return view.get!.call(this)
    },
  })
  getActiveTest()!.cleanup(() => {
    restore.forEach((undo) => undo())
    syncBuiltinESMExports()
    Object.defineProperty(HttpContext.prototype, 'view', view)
  })
  return seen
}

const TOKENS = {
  'an access token': async () => {
    const { visitor } = await signedIn()
    const { access_token: token } = await obtainTokens(visitor, await registerClient())
    return token as string
  },
  'an API token': async () => {
    const { plainText } = await ApiToken.create(await UserFactory.create(), { abilities: [] })
    return plainText
  },
}

test.group('GET /api/me', (group) => {
  group.each.setup(() => testUtils.db().truncate())

  test('with {$self} looks at no file and makes no view, no session and no exception')
    .with(Object.keys(TOKENS) as (keyof typeof TOKENS)[])
    .run(async ({ assert }, kind) => {
      const headers = { authorization: `Bearer ${await TOKENS[kind]()}` }
      const me = () => new Visitor().get('/api/me', { headers })
      /* The first request imports what it needs. */
      assert.equal((await me()).status, 200)
      const seen = watch()
      assert.equal((await me()).status, 200)
      assert.deepEqual(seen, [])

      await new Visitor().get('/login', { headers: { accept: 'text/html' } })
      await new Visitor().get('/api/me', { headers: { authorization: 'Bearer wrong' } })
      await fs.promises.stat('package.json')
      assert.includeMembers(seen, ['view', 'session', 'exception', 'promises.stat'])
    })
})
