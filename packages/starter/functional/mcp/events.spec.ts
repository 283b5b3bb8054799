import emitter from '@adonisjs/core/services/emitter'
import testUtils from '@adonisjs/core/services/test_utils'
import { test } from '@japa/runner'

import { UserFactory } from '#database/factories/user_factory'
import '#starter/helpers/fixtures/mcp/vault_server'
import '#starter/helpers/fixtures/mcp/workshop_server'
import { legacy } from '#starter/helpers/mcp_wire'

const NAMES = ['mcp:called', 'mcp:failed', 'mcp:refused'] as const

test.group('MCP events', (group) => {
  group.each.setup(() => testUtils.db().wrapInGlobalTransaction())

  /** The events of a test, each as its name and what it tells but the time. */
  function watch() {
    const seen: [string, object][] = []
    for (const name of NAMES) {
      emitter.on(name, ({ milliseconds, ...event }) => {
        seen.push([name, { ...event, isTimed: milliseconds >= 0 }])
      })
    }
    return seen
  }
  group.each.teardown(() => {
    NAMES.forEach((name) => emitter.clearListeners(name))
  })

  const event = (name: string, kind = 'tool') => ({
    server: 'workshop',
    kind,
    name,
    caller: null,
    isTimed: true,
  })

  test('tell of a call that was answered', async ({ assert }) => {
    const seen = watch()
    await legacy('/mcp/workshop', 'tools/call', { name: 'echo', arguments: { value: 'private' } })
    await legacy('/mcp/workshop', 'prompts/get', { name: 'greeting', arguments: { name: 'Ann' } })
    await legacy('/mcp/workshop', 'resources/read', { uri: 'workshop://notes/7' })
    assert.deepEqual(seen, [
      ['mcp:called', event('echo')],
      ['mcp:called', event('greeting', 'prompt')],
      ['mcp:called', event('workshop://notes/{id}{?format}', 'resource')],
    ])
  })

  test('tell of a call that failed', async ({ assert }) => {
    const seen = watch()
    for (const name of ['fails', 'fails_politely', 'echo']) {
      await legacy('/mcp/workshop', 'tools/call', { name })
    }
    await legacy('/mcp/workshop', 'prompts/get', { name: 'failing' })
    await legacy('/mcp/workshop', 'resources/read', { uri: 'workshop://broken' })
    assert.deepEqual(seen, [
      ['mcp:failed', event('fails')],
      ['mcp:failed', event('fails_politely')],
      ['mcp:failed', event('echo')],
      ['mcp:failed', event('failing', 'prompt')],
      ['mcp:failed', event('workshop://broken', 'resource')],
    ])
  })

  test('tell of a caller that was refused, with whom it was', async ({ client, assert }) => {
    const seen = watch()
    const user = await UserFactory.create()
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'open' } }
    await client.post('/mcp/vault').json(message)
    await client.post('/mcp/vault').withMcpToken(user).json(message)
    assert.deepEqual(seen, [
      ['mcp:refused', { server: 'vault', kind: null, name: null, caller: null, isTimed: true }],
      [
        'mcp:refused',
        {
          server: 'vault',
          kind: 'tool',
          name: 'open',
          caller: JSON.stringify([`users:${user.id}`, null]),
          isTimed: true,
        },
      ],
    ])
  })

  test('a name that the server does not have is no event', async ({ assert }) => {
    const seen = watch()
    await legacy('/mcp/workshop', 'tools/call', { name: 'nope' })
    await legacy('/mcp/workshop', 'tools/list')
    assert.isEmpty(seen)
  })
})
