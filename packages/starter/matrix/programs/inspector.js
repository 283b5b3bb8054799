import { bin, run } from './command.js'

/** The Inspector's command line: a process for each call. */
export async function start({ url, clientId, isDocument, redirectUri, allow, env }) {
  const identity = clientId ? [isDocument ? '--client-metadata-url' : '--client-id', clientId] : []
  const target = [url, '--transport', 'http', '--callback-url', redirectUri, ...identity]
  const call = (name, args, ...more) =>
    run(
      [
        ...[bin('mcp-inspector'), '--cli', ...target, '--method', 'tools/call'],
        ...['--tool-name', name, '--tool-args-json', JSON.stringify(args)],
        ...['--format', 'json', ...more],
      ],
      {
        allow,
        env: { ...env, MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' },
      }
    )
  return {
    signIn: () => call('my_posts', {}, '--relogin'),
    call: (name, args) => call(name, args),
    stop: async () => {},
  }
}
