import { AsyncLocalStorage } from 'node:async_hooks'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

import { HttpContext } from '@adonisjs/core/http'
import server from '@adonisjs/core/services/server'
import testUtils from '@adonisjs/core/services/test_utils'
import { getActiveTest, test } from '@japa/runner'

import { ApiToken } from '#kit/api_token/facade'
import { UserFactory } from '#database/factories/user_factory'
import { SessionValues } from '#kit/session/session_values'
import { obtainTokens, registerClient } from '#starter/helpers/oauth'
import { Visitor, signedIn } from '#starter/helpers/visitor'

const CALLS = ['stat', 'lstat', 'access', 'open', 'opendir', 'readdir', 'readFile']

/** Requests with this header are watched. What goes on beside them, e.g. for a test of before, is not theirs. */
const WATCHED = { 'x-watched': 'yes' }

/** Notes every look at the disk, view, session and exception of watched requests until the test ends. */
function watch() {
  const seen: string[] = []
  const restore: (() => void)[] = []
  const watched = new AsyncLocalStorage<true>()
  const note = (label: string) => void (watched.getStore() && seen.push(label))
  function spy(target: any, name: string, label: string) {
    const original = target[name]
    if (typeof original === 'function') {
      target[name] = function (this: unknown, ...parameters: unknown[]) {
        note(label)
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
      note('view')
      return view.get!.call(this)
    },
  })
  const node = server.getNodeServer()!
  const emit = node.emit
  node.emit = function (this: unknown, event: string, ...parameters: any[]) {
    const run = () => Reflect.apply(emit, this, [event, ...parameters])
    return event === 'request' && parameters[0].headers['x-watched']
      ? watched.run(true, run)
      : run()
  }
  getActiveTest()!.cleanup(() => {
    node.emit = emit
    restore.forEach((undo) => undo())
    syncBuiltinESMExports()
    Object.defineProperty(HttpContext.prototype, 'view', view)
  })
  return { seen, during: <T>(run: () => T) => watched.run(true, run) }
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
      const headers = { ...WATCHED, authorization: `Bearer ${await TOKENS[kind]()}` }
      const me = () => new Visitor().get('/api/me', { headers })
      /* The first request imports what it needs. */
      assert.equal((await me()).status, 200)
      const { seen, during } = watch()
      assert.equal((await me()).status, 200)
      assert.deepEqual(seen, [])

      await new Visitor().get('/login', { headers: { ...WATCHED, accept: 'text/html' } })
      await new Visitor().get('/api/me', { headers: { ...WATCHED, authorization: 'Bearer wrong' } })
      await during(() => fs.promises.stat('package.json'))
      assert.includeMembers(seen, ['view', 'session', 'exception', 'promises.stat'])
    })
})
