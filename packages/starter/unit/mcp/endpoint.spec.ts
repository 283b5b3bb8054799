import { HttpContextFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

import { type Endpoint, admit, post } from '#kit/mcp/http/endpoint'
import { Server } from '#kit/mcp/server'
import { heapAfterShortCollections } from '#starter/helpers/heap'

class Bare extends Server {
  static override name = 'bare'
}

async function createEndpoint() {
  const manager = await app.container.make('mcp')
  return {
    definition: await manager.definition(Bare),
    config: manager.config,
    ...{ protection: null, isProtected: false, resourceServer: null },
    ...{ announce: () => {}, count: async () => {}, tasks: null, subscriptions: null },
  } as unknown as Endpoint
}

/** One that was posted, with a body that has arrived. */
function createPing() {
  const ctx = new HttpContextFactory().create()
  const { request } = ctx.request
  const body = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  const accept = 'application/json, text/event-stream'
  request.headers = { accept, 'content-length': String(body.length) }
  request.push(body)
  request.push(null)
  return ctx
}

test.group('MCP endpoint', () => {
  test('a mount that is protected refuses everybody where tokens cannot be checked', async ({
    assert,
  }) => {
    const protection = { optional: false, scopes: [], scopesToAskFor: () => [] }
    const endpoint = { ...(await createEndpoint()), protection, isProtected: true } as any
    const ctx = createPing()
    ctx.request.request.headers.host = 'localhost'
    assert.isFalse(await admit(ctx, endpoint))
    assert.equal(ctx.response.getStatus(), 401)
  })

  test('a short collection frees the contexts of requests that were answered', async ({
    assert,
  }) => {
    const endpoint = await createEndpoint()
    const answer = async () => {
      const ctx = createPing()
      Object.assign(ctx, { weight: Array.from({ length: 5000 }, (_, index) => index) })
      await post(ctx, endpoint)
      return ctx.response.getBody()
    }
    assert.include(await answer(), '"result"')
    const before = heapAfterShortCollections()
    for (let request = 0; request < 500; request++) {
      await answer()
    }
    /* All of them weigh over 30 MB; what AdonisJS makes for a test stays for longer. */
    assert.isBelow(heapAfterShortCollections() - before, 20_000_000)
  })
})
