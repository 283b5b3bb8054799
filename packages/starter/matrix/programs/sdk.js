import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { callSignedIn, Sign } from './sign.js'

const info = { name: 'matrix', version: '1.0.0' }

/** An application with one of the official SDKs. `mode`: "v1", or how v2 finds the revision to speak. */
export async function start({ url, allow, ...options }, mode) {
  const sign = new Sign(options)
  const Transport = mode === 'v1' ? TransportV1 : TransportV2
  const transport = new Transport(new URL(url), { authProvider: sign })
  const client =
    mode === 'v1' ? new ClientV1(info) : new ClientV2(info, { versionNegotiation: { mode } })
  await client.connect(transport)
  const finish = (answer) => transport.finishAuth(answer.get('code'), answer.get('iss'))
  const call = (name, args) =>
    callSignedIn({ sign, allow, finish }, () => client.callTool({ name, arguments: args }))
  return {
    call,
    signIn() {
      sign.invalidateCredentials('tokens')
      return call('my_posts', {})
    },
    stop: () => client.close(),
  }
}
