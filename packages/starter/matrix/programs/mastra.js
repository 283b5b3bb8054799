import { MCPClient, MCPOAuthClientProvider } from '@mastra/mcp'
import { auth } from '@modelcontextprotocol/client'

import { callSignedIn, metadata } from './sign.js'

/** An application with Mastra that has a callback of its own. */
export async function start({ url, allow, redirectUri, clientId, isDocument }) {
  const sign = {}
  const provider = new MCPOAuthClientProvider({
    redirectUrl: redirectUri,
    clientMetadata: metadata('A Mastra application', redirectUri),
    ...(isDocument
      ? { clientMetadataUrl: clientId }
      : { clientInformation: { client_id: clientId } }),
    onRedirectToAuthorization: (page) => void (sign.opened = page),
  })
  const servers = { blog: { url: new URL(url), authProvider: provider } }
  const client = new MCPClient({ id: redirectUri, servers })
  const finish = (answer) =>
    auth(provider, {
      serverUrl: url,
      authorizationCode: answer.get('code'),
      iss: answer.get('iss'),
    })
  const call = (name, args) =>
    callSignedIn({ sign, allow, finish }, async () => {
      const tools = await client.listTools()
      return tools[`blog_${name}`].execute(args, {})
    })
  return {
    call,
    async signIn() {
      await provider.invalidateCredentials('tokens')
      return call('my_posts', {})
    },
    stop: () => client.disconnect(),
  }
}
