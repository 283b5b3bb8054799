import { editNode, valueOf } from '#export/edits/lists'

/** Where the row classes of exported tables are in the other application, beside its own `database/schema.ts`. */
export const ROW_CLASSES = 'database/auth_server_schema.ts'

/** Names of this application that the other one uses for its own files, each with the one that it gets there. */
const NAMES: [from: string, to: string][] = [
  ['config/auth.ts', 'config/auth_server.ts'],
  ['#database/schema', '#database/auth_server_schema'],
]

/** Settings whose value here is about this application. */
const SETTINGS: Record<string, Record<string, string>> = {
  'config/oauth2.ts': {
    authorizationGuard: `'web'`,
  },
  'config/mcp.ts': {
    allowedOrigins: `[new URL(env.get('APP_URL')).origin]`,
    allowedHosts: `[new URL(env.get('APP_URL')).hostname]`,
    url: `env.get('APP_URL')`,
  },
}

/** Lines that only the replaced values have needed. */
const UNUSED = /^import \{ appUrl \} from '#config\/app'\n|^const \{ origin, hostname \} = .*\n\n/gm

/**
 * A file as the other application gets it.
 *
 * @throws {Error} when a setting that has to change is not there
 */
export function rewrite(path: string, text: string): string {
  const renamed = NAMES.reduce((result, [from, to]) => result.replaceAll(from, to), text)
  const settings = SETTINGS[path]
  if (!settings) {
    return renamed
  }
  return Object.entries(settings)
    .reduce((result, [name, value]) => withSetting(path, result, name, value), renamed)
    .replace(UNUSED, '')
}

function withSetting(path: string, text: string, name: string, value: string): string {
  const result = editNode(path, text, (node) => {
    const current = valueOf(node, name)
    return current && { start: current.getStart(), end: current.getEnd(), text: value }
  })
  if (result === null) {
    throw new Error(`${path} has no setting "${name}"`)
  }
  return result
}
