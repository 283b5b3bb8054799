import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { bin, run } from './command.js'

/** mcporter with the URL alone; `mode` "oauth" is what its page says of servers that do not ask at once. */
export async function start({ url, clientId, redirectUri, folder, ...person }, mode) {
  const config = join(folder, 'mcporter.json')
  const settings = mode === 'oauth' ? { auth: 'oauth', oauthRedirectUrl: redirectUri } : {}
  const blog = { url, oauthClientId: clientId, ...settings }
  await writeFile(config, JSON.stringify({ mcpServers: { blog }, imports: [] }))
  const mcporter = (...args) => run([bin('mcporter'), '--config', config, ...args], person)
  return {
    signIn: () => mcporter('auth', 'blog', '--reset'),
    call: (name, args) => mcporter('call', `blog.${name}`, '--args', JSON.stringify(args)),
    stop: async () => {},
  }
}
