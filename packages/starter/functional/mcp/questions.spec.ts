import { mock } from 'node:test'

import encryption from '@adonisjs/core/services/encryption'
import { test } from '@japa/runner'

import '#starter/helpers/fixtures/mcp/workshop_server'
import { legacy, meta, modern, errorCode } from '#starter/helpers/mcp_wire'
import { replaceForTest } from '#starter/helpers/replace'

const PATH = '/mcp/workshop'
const CAPABLE = { _meta: meta({ clientCapabilities: { elicitation: {} } }) }

const ask = (params: object = {}) =>
  modern(PATH, 'tools/call', { name: 'asks', arguments: { value: 'a' }, ...CAPABLE, ...params })

const accept = (content: object) => ({ name: { action: 'accept', content } })

async function firstRound() {
  const { body } = await ask()
  return body.result.requestState as string
}

test.group('MCP questions | First round', () => {
  test('the result asks for input, with a state', async ({ assert }) => {
    const { status, body } = await ask()
    assert.equal(status, 200)
    assert.equal(body.result.resultType, 'input_required')
    assert.deepEqual(body.result.inputRequests, {
      name: {
        method: 'elicitation/create',
        params: {
          mode: 'form',
          message: 'Your name?',
          requestedSchema: {
            type: 'object',
            properties: { name: { type: 'string' } },
            required: ['name'],
          },
        },
      },
    })
    assert.isString(body.result.requestState)
    assert.notInclude(body.result.requestState, 'round')
    assert.notProperty(body.result, 'ttlMs')
  })

  test('a client that did not declare what it takes is told so: -32021, HTTP 400', async ({
    assert,
  }) => {
    for (const clientCapabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
      const { status, body } = await ask({ _meta: meta({ clientCapabilities }) })
      assert.equal(status, 400)
      assert.equal(body.error.code, -32021)
      assert.deepEqual(body.error.data.requiredCapabilities, { elicitation: { form: {} } })
    }
  })

  test('an older client gets an error result, for it cannot be asked', async ({ assert }) => {
    const { body } = await legacy(PATH, 'tools/call', { name: 'asks', arguments: { value: 'a' } })
    assert.isTrue(body.result.isError)
    assert.include(body.result.content[0].text, '2026-07-28')
    const prompt = await legacy('/mcp/conformance', 'prompts/get', {
      name: 'test_input_required_result_prompt',
    })
    assert.equal(prompt.body.error.code, -32603)
  })
})

test.group('MCP questions | Second round', () => {
  test('the handler gets the answer and its state', async ({ assert }) => {
    const { body } = await ask({
      inputResponses: accept({ name: 'Ann' }),
      requestState: await firstRound(),
    })
    assert.equal(body.result.resultType, 'complete')
    assert.equal(body.result.content[0].text, 'a, Ann: {"round":1}')
  })

  test('prompts and resources ask in the same way', async ({ assert }) => {
    const uri = 'workshop://locked'
    const first = await modern(PATH, 'resources/read', { uri, ...CAPABLE })
    assert.equal(first.body.result.resultType, 'input_required')
    assert.notProperty(first.body.result, 'ttlMs')
    assert.notProperty(first.body.result, 'requestState')
    const inputResponses = accept({ name: 'Ann' })
    const second = await modern(PATH, 'resources/read', { uri, inputResponses, ...CAPABLE })
    assert.equal(second.body.result.contents[0].text, 'Open for Ann')

    const prompt = { name: 'test_input_required_result_prompt', ...CAPABLE }
    const asked = await modern('/mcp/conformance', 'prompts/get', prompt)
    assert.sameMembers(Object.keys(asked.body.result.inputRequests), ['user_context'])
  })

  test('an answer that is missing or no valid filling is asked for again: {name}')
    .with([
      { name: 'missing', inputResponses: {} },
      { name: 'under another name', inputResponses: { other: { action: 'accept' } } },
      { name: 'not filled in', inputResponses: accept({}) },
      { name: 'of another type', inputResponses: accept({ name: 7 }) },
      { name: 'without content', inputResponses: { name: { action: 'accept' } } },
      { name: 'of an unknown action', inputResponses: { name: { action: 'shrug' } } },
    ])
    .run(async ({ assert }, { inputResponses }) => {
      const { body } = await ask({ inputResponses })
      assert.equal(body.result.resultType, 'input_required')
    })

  test('"decline" and "cancel" are answers', async ({ assert }) => {
    for (const action of ['decline', 'cancel']) {
      const { body } = await ask({ inputResponses: { name: { action } } })
      assert.equal(body.result.content[0].text, 'a, undefined: undefined')
    }
  })

  test('answers of another shape are -32602', async ({ assert }) => {
    for (const inputResponses of [null, 'x', [], { name: 7 }, { name: null }]) {
      assert.equal(await errorCode(ask({ inputResponses })), -32602)
    }
  })
})

test.group('MCP questions | State', () => {
  const caller = (id: string) => ({ id, user: { id }, scopes: [] })

  async function refused(requestState: unknown, params: object = {}) {
    const { body } = await ask({ requestState, inputResponses: accept({ name: 'Ann' }), ...params })
    return body.error?.code === -32602
  }

  test('that was altered is refused', async ({ assert }) => {
    const state = await firstRound()
    const middle = Math.floor(state.length / 2)
    const flipped =
      state.slice(0, middle) + (state[middle] === 'A' ? 'B' : 'A') + state.slice(middle + 1)
    for (const altered of [flipped, `${state}x`, state.slice(1), '', 'x', 7, null, {}]) {
      assert.isTrue(await refused(altered))
    }
  })

  test('of another call is refused', async ({ assert }) => {
    const state = await firstRound()
    assert.isTrue(await refused(state, { arguments: { value: 'b' } }))
    assert.isTrue(await refused(state, { name: 'logs', arguments: {} }))
    const { status, body } = await modern('/mcp/twin', 'tools/call', {
      name: 'asks',
      arguments: { value: 'a' },
      requestState: state,
      ...CAPABLE,
    })
    assert.equal(status, 200)
    assert.equal(body.error.code, -32602)
    assert.include(body.error.message, 'requestState')
  })

  test('is bound to the arguments, not to the order of their members', async ({ assert }) => {
    const first = await ask({ arguments: { value: 'a', x: 1, y: { p: 1, q: 2 } } })
    const { body } = await ask({
      arguments: { y: { q: 2, p: 1 }, x: 1, value: 'a' },
      requestState: first.body.result.requestState,
      inputResponses: accept({ name: 'Ann' }),
    })
    assert.equal(body.result.resultType, 'complete')
  })

  test('that has expired is refused', async ({ assert, cleanup }) => {
    cleanup(() => mock.timers.reset())
    mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const state = await firstRound()
    mock.timers.tick(10 * 60 * 1000 - 1000)
    assert.isFalse(await refused(state))
    mock.timers.tick(1001)
    assert.isTrue(await refused(state))
  })

  test('made by the application for something else is refused', async ({ assert }) => {
    assert.isTrue(await refused(encryption.encrypt({ state: { admin: true } })))
  })

  test('of another caller is refused', async ({ assert }) => {
    const { WorkshopServer } = await import('#starter/helpers/fixtures/mcp/workshop_server')
    replaceForTest(WorkshopServer, 'caller', () => caller('ann'))
    const state = await firstRound()
    assert.isFalse(await refused(state))
    WorkshopServer.caller = () => caller('bob')
    assert.isTrue(await refused(state))
  })
})
