/** Where the row classes of exported tables are in the other application, beside its own `database/schema.ts`. */
export const ROW_CLASSES = 'database/auth_server_schema.ts'

/** Names of this application that the other one uses for its own files, each with the one that it gets there. */
const NAMES: [from: string, to: string][] = [
  ['config/auth.ts', 'config/auth_server.ts'],
  ['#database/schema', '#database/auth_server_schema'],
]

/** Settings that are different where `@adonisjs/auth` knows who is signed in, or that belong to the example here. */
const SETTINGS: Record<string, [from: string, to: string][]> = {
  'config/oauth2.ts': [
    ['authorizationGuard: null,', `authorizationGuard: 'web',`],
    [`    'account:read': 'See your profile, sessions, API tokens and connected apps',\n`, ''],
    [`    'posts:read': 'Read your posts',\n`, ''],
    [`    'posts:write': 'Write and change your posts',\n`, ''],
  ],
  'config/mcp.ts': [
    [`import { appUrl } from '#config/app'\n`, ''],
    [
      `const { origin, hostname } =`,
      `const appUrl = env.get('APP_URL')\nconst { origin, hostname } =`,
    ],
  ],
}

/**
 * A file as the other application gets it.
 *
 * @throws {Error} when a setting that has to change is no longer there
 */
export function rewrite(path: string, text: string): string {
  const renamed = NAMES.reduce((result, [from, to]) => result.replaceAll(from, to), text)
  return (SETTINGS[path] ?? []).reduce((result, [from, to]) => {
    if (!result.includes(from)) {
      throw new Error(`${path} has no "${from.trim()}"`)
    }
    return result.replace(from, to)
  }, renamed)
}
