import { setTimeout as sleep } from 'node:timers/promises'

import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import { ApiToken } from '#kit/api_token/facade'
import { Tool } from '#kit/mcp/primitives'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { sendSlowly } from '#starter/helpers/raw_socket'

const PATH = '/mcp/slow'

class Act extends Tool {
  static override name = 'act'
  static override description = 'Acts.'
  handle = () => Response.text('done')
}

/** What happens while the first call of a batch works. */
let whileWaiting: () => Promise<unknown>

class Wait extends Tool {
  static override name = 'wait'
  static override description = 'Waits.'
  async handle() {
    await whileWaiting()
    await sleep(1200)
    return Response.text('waited')
  }
}

class SlowServer extends Server {
  static override name = 'slow'
  static override tools = () => [Act, Wait]
}

SlowServer.router(PATH).protect({ scopes: ['mcp:use'], guards: ['api'] })

/** A call whose last bytes come later. @param meanwhile what happens before they do */
async function callSlowly(token: string, meanwhile: () => Promise<unknown>): Promise<string> {
  const params = { name: 'act', arguments: {} }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const headers = { 'Authorization': `Bearer ${token}`, 'Content-Type': 'application/json' }
  return sendSlowly(PATH, headers, body, meanwhile)
}

test.group('MCP | Callers who have ended', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  test('a token that is revoked while the body of a call arrives is not accepted', async ({
    assert,
  }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, { abilities: ['mcp:use'] })
    assert.include(await callSlowly(plainText, async () => {}), '"text":"done"')
    const answer = await callSlowly(plainText, () => ApiToken.revokeAll(user))
    assert.match(answer, /^HTTP\/1\.1 401 /)
    assert.match(answer, /www-authenticate: Bearer error="invalid_token"/i)
    assert.notInclude(answer, 'done')
  })

  test('a token that is revoked while a call of a batch works makes no later call of it', async ({
    assert,
    client,
  }) => {
    const user = await UserFactory.create()
    const { plainText } = await ApiToken.create(user, { abilities: ['mcp:use'] })
    const batch = ['wait', 'act'].map((name, id) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: {} },
    }))
    const send = () =>
      client
        .post(PATH)
        .header('authorization', `Bearer ${plainText}`)
        .json(batch as any)
    whileWaiting = async () => {}
    assert.include((await send()).text(), '"text":"done"')
    whileWaiting = () => ApiToken.revokeAll(user)
    const response = await send()
    response.assertStatus(401)
    assert.notInclude(response.text(), 'done')
  })
})
