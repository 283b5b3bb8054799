import app from '@adonisjs/core/services/app'

import { type Finding, ok, warning } from '#doctor/finding'
import { describeClients } from '#mcp/known_clients'

const ABOUT = 'MCP clients'

/** Which AI clients connect with the settings at hand; nothing where nobody has to sign in. */
export async function examineMcpClients(): Promise<Finding[]> {
  if (!app.container.hasBinding('mcp')) {
    return []
  }
  const { knownClients } = await app.container.make('mcp')
  if (knownClients === null) {
    return []
  }
  const judge = knownClients.connecting.length > 0 ? ok : warning
  return [judge(ABOUT, describeClients(knownClients))]
}
