import { auth, createMCPClient } from '@ai-sdk/mcp'

import { callSignedIn, Sign } from './sign.js'

/** An application with the AI SDK, which is told of a metadata document as of any client_id. */
export async function start({ url, allow, ...options }) {
  const sign = new Sign({ ...options, isDocument: false })
  const client = await createMCPClient({ transport: { type: 'http', url, authProvider: sign } })
  const tools = await client.tools()
  const finish = (answer) =>
    auth(sign, {
      serverUrl: url,
      authorizationCode: answer.get('code'),
      callbackState: answer.get('state'),
    })
  const call = (name, args) =>
    callSignedIn({ sign, allow, finish }, () =>
      tools[name].execute(args, { toolCallId: '1', messages: [] })
    )
  return {
    call,
    signIn() {
      sign.invalidateCredentials('tokens')
      return call('my_posts', {})
    },
    stop: () => client.close(),
  }
}
