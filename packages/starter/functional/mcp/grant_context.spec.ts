import { inject } from '@adonisjs/core'
import { HttpContext } from '@adonisjs/core/http'
import { test } from '@japa/runner'

import { appUrl } from '#config/app'
import { Response } from '#kit/mcp/response'
import { Server } from '#kit/mcp/server'
import { Tool } from '#kit/mcp/primitives'
import { openPending } from '#starter/helpers/consent'
import {
  createPkce,
  isolate,
  postToken,
  read,
  redemption,
  registerClient,
} from '#starter/helpers/oauth'
import { signedIn } from '#starter/helpers/visitor'

const PATH = '/mcp/workspaces'

@inject()
class Workspace extends Tool {
  static override name = 'workspace'
  static override description = 'Tells the workspace that the person has chosen'

  constructor(protected ctx: HttpContext) {
    super()
  }

  handle() {
    return Response.structure({ workspace: this.ctx.auth.context?.grant?.context?.workspace })
  }
}

class WorkspaceServer extends Server {
  static override name = 'workspaces'

  static override tools() {
    return [Workspace]
  }
}

WorkspaceServer.router(PATH).protect({ scopes: ['mcp:use'] })

test.group('The context of an approval', (group) => {
  group.each.setup(isolate)

  test('is at hand in a tool, each token with its own', async ({ client, assert }) => {
    const { visitor } = await signedIn()
    const registered = await registerClient()
    const tokens: string[] = []
    for (const workspace of [1, 2]) {
      const { verifier, challenge } = createPkce()
      const handle = await openPending(visitor, registered, {
        scope: 'mcp:use',
        resource: `${appUrl}${PATH}`,
        prompt: 'consent',
        code_challenge: challenge,
      })
      const { body } = await read(
        await visitor.send(`/oauth/authorizations/${handle}/approve`, { context: { workspace } })
      )
      const code = new URL(body.redirect_to).searchParams.get('code')!
      const issued = await postToken(redemption(registered, { code, verifier }))
      tokens.push(issued.body.access_token)
    }
    for (const [index, token] of tokens.entries()) {
      const response = await client
        .post(PATH)
        .bearerToken(token)
        .json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'workspace' } })
      assert.deepEqual(response.body().result.structuredContent, { workspace: index + 1 })
    }
  })
})
