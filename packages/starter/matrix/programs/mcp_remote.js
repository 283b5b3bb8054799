import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'

import { bin, browser } from './command.js'

/** mcp-remote, and behind it an SDK that knows local servers alone. */
export async function start({ url, clientId, redirectUri, folder, allow, env }) {
  const { hostname, port, pathname } = new URL(redirectUri)
  const identity = clientId
    ? ['--static-oauth-client-info', JSON.stringify({ client_id: clientId })]
    : []
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      ...[bin('mcp-remote'), url, port, '--host', hostname, '--callback-path', pathname],
      ...identity,
    ],
    env: { ...env, MCP_REMOTE_CONFIG_DIR: folder },
    stderr: 'pipe',
  })
  transport.stderr.on('data', browser(allow))
  const client = new Client({ name: 'matrix', version: '1.0.0' })
  await client.connect(transport)
  const call = (name, args) => client.callTool({ name, arguments: args })
  return { call, signIn: () => call('my_posts', {}), stop: () => client.close() }
}
