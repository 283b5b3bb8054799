import { test } from '@japa/runner'
import vine from '@vinejs/vine'

import type { Arguments } from '#kit/mcp/inference'
import { InputRequest, type McpRequest } from '#kit/mcp/request'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import { mcp } from '#kit/testing/mcp'
import { SDKS } from '#starter/helpers/mcp_client'
import { legacy, resultOf, url } from '#starter/helpers/mcp_wire'

const PATH = '/mcp/shredder'

const QUESTIONS = {
  reason: InputRequest.elicit('Why?', {
    type: 'object',
    properties: { text: { type: 'string', minLength: 2 } },
    required: ['text'],
  }),
}
const PAGE = { paid: InputRequest.visit('Please pay.', 'https://pay.example.com/7') }

let shredded: string[] = []
let hasPaid = false

class Shred extends Tool<typeof Shred> {
  static override name = 'shred'
  static override description = 'Destroys a paper'
  static override olderClients = 'confirm' as const

  static override schema() {
    return vine.create({ paper: vine.string() })
  }

  async handle({ paper }: Arguments<typeof Shred>, request: McpRequest) {
    const { reason } = request.answers(QUESTIONS)
    if (!reason) {
      return Response.inputRequired(QUESTIONS, { asked: paper })
    }
    shredded.push(paper)
    return Response.text(`${reason.content!.text} ${JSON.stringify(request.state)}`)
  }
}

class Pay extends Tool {
  static override name = 'pay'
  static override description = 'Takes money on a page'
  static override olderClients = 'confirm' as const

  async handle(_args: object, request: McpRequest) {
    const { paid } = request.answers(PAGE)
    return paid ? Response.text('paid') : Response.inputRequired(PAGE)
  }
}

/** Knows by itself who has paid. */
class Order extends Tool {
  static override name = 'order'
  static override description = 'Takes money on a page, and looks whether it was paid'
  static override olderClients = 'visit' as const

  async handle() {
    return hasPaid ? Response.text('ordered') : Response.inputRequired(PAGE)
  }
}

class Summarize extends Tool {
  static override name = 'summarize'
  static override description = 'Asks the model of the client'
  static override olderClients = 'confirm' as const

  async handle() {
    return Response.inputRequired({
      text: InputRequest.sample({ messages: [], maxTokens: 10 }),
    })
  }
}

class Browse extends Tool {
  static override name = 'browse'
  static override description = 'Asks for the folders of the client'
  static override olderClients = 'confirm' as const

  async handle() {
    return Response.inputRequired({ folders: InputRequest.roots() })
  }
}

class Postpone extends Tool {
  static override name = 'postpone'
  static override description = 'Wants to be called again, with its state'

  async handle() {
    return Response.inputRequired({}, 'later')
  }
}

class ShredderServer extends Server {
  static override name = 'shredder'
  static override tools = () => [Shred, Pay, Order, Summarize, Browse, Postpone]
}

ShredderServer.router(PATH)

const call = async (name: string, args: object = {}) => {
  const { content, isError } = await resultOf(legacy(PATH, 'tools/call', { name, arguments: args }))
  return { text: content[0].text as string, isError }
}

/** The value that the tool wants to have back. */
const tokenIn = (text: string) => /"confirm": "([^"]+)"/.exec(text)![1]!

test.group('MCP questions | Older clients, through the model', (group) => {
  group.each.setup(() => {
    shredded = []
    hasPaid = false
  })

  test('the tool says what to ask the person, and does nothing yet', async ({ assert }) => {
    const { text, isError } = await call('shred', { paper: 'will' })
    assert.isTrue(isError)
    assert.match(text, /do not answer for them/)
    assert.include(text, '- reason: Why? (an object of the JSON Schema {"type":"object"')
    assert.deepEqual(shredded, [])
  })

  test('the next call brings the answers, and the tool has its state', async ({ assert }) => {
    const asked = await call('shred', { paper: 'will' })
    const answers = { reason: { text: 'Old' } }
    const done = await call('shred', { answers, confirm: tokenIn(asked.text), paper: 'will' })
    assert.deepEqual(done, { text: 'Old {"asked":"will"}', isError: undefined })
    assert.deepEqual(shredded, ['will'])
  })

  test('what was given for other arguments is refused, as is what was made up', async ({
    assert,
  }) => {
    const asked = await call('shred', { paper: 'will' })
    const answers = { reason: { text: 'Old' } }
    for (const confirm of [tokenIn(asked.text), 'yes', true, null]) {
      const { text, isError } = await call('shred', { answers, confirm, paper: 'deed' })
      assert.isTrue(isError)
      assert.match(text, /Call again without it/)
    }
    assert.deepEqual(shredded, [])
  })

  test('an answer that does not fit the form is asked for again', async ({ assert }) => {
    const asked = await call('shred', { paper: 'will' })
    for (const answers of [{}, { reason: { text: '' } }, { reason: 'x' }, [], 'x']) {
      const confirm = tokenIn(asked.text)
      const { text } = await call('shred', { answers, confirm, paper: 'will' })
      assert.match(text, /do not answer for them/)
    }
    assert.deepEqual(shredded, [])
  })

  test('a page is opened by the person, and the call made again', async ({ assert }) => {
    const asked = await call('pay')
    assert.include(asked.text, '- paid: Please pay. They open https://pay.example.com/7 for it.')
    assert.equal((await call('pay', { confirm: tokenIn(asked.text) })).text, 'paid')
  })

  test('{name}: a client that opens pages is sent to one, and calls again')
    .with(SDKS.filter(({ name }) => ['SDK v1', 'SDK v2, legacy'].includes(name)))
    .run(async ({ assert }, sdk) => {
      const client = sdk.client({ elicitation: { url: {} } })
      await client.connect(sdk.transport(url(PATH), {}))
      const asked: any = await client.callTool({ name: 'order' }).catch((error) => error)
      assert.equal(asked.code, -32042)
      assert.containsSubset(asked.data.elicitations, [
        { mode: 'url', message: 'Please pay.', url: 'https://pay.example.com/7' },
      ])
      assert.isString(asked.data.elicitations[0].elicitationId)
      hasPaid = true
      const { content } = await client.callTool({ name: 'order' })
      assert.deepEqual(content, [{ type: 'text', text: 'ordered' }])
      await client.close()
    })

  test('another client has its model tell the person of the page', async ({ assert }) => {
    const { text, isError } = await call('order')
    assert.isTrue(isError)
    assert.include(text, '- paid: Please pay. They open https://pay.example.com/7 for it.')
    assert.notInclude(text, 'confirm')
  })

  test('neither its model nor the client can be asked, which is said: {tool} needs {need}')
    .with([
      { tool: 'summarize', need: 'MCP 2026-07-28 and sampling' },
      { tool: 'browse', need: 'MCP 2026-07-28 and roots' },
      { tool: 'postpone', need: 'MCP 2026-07-28' },
    ])
    .run(async ({ assert }, { tool, need }) => {
      const { text, isError } = await call(tool)
      assert.isTrue(isError)
      assert.include(text, `supports ${need}.`)
    })

  test('older clients see the two arguments, and others do not', async ({ assert }) => {
    const { tools } = await resultOf(legacy(PATH, 'tools/list'))
    assert.sameMembers(Object.keys(tools[0].inputSchema.properties), [
      'paper',
      'confirm',
      'answers',
    ])
    const { confirm, answers } = tools[0].inputSchema.properties
    assert.deepEqual([confirm.type, answers.type], ['string', 'object'])
    assert.deepEqual(tools[0].inputSchema.required, ['paper'])
    const modern = await mcp(ShredderServer).send('tools/list')
    assert.sameMembers(Object.keys(modern.result.tools[0].inputSchema.properties), ['paper'])
  })

  test('a tool that has one of the arguments itself fails at start', async ({ assert }) => {
    class Own extends Shred {
      static override name = 'shred'
      static override schema() {
        return vine.create({ paper: vine.string(), confirm: vine.string() }) as any
      }
    }
    class OwnServer extends Server {
      static override name = 'own'
      static override tools = () => [Own as any]
    }
    await assert.rejects(
      () => mcp(OwnServer).send('tools/list'),
      'The MCP tool "shred" cannot have an argument "confirm" of its own: "olderClients" adds it'
    )
  })
})
