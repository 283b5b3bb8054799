import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { execute } from '#starter/helpers/execute'
import { TYPESCRIPT } from '#starter/helpers/server_process'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** All that has routes is on. */
const ENV = {
  NODE_ENV: 'test',
  OAUTH_OPENID: 'true',
  OAUTH_ISSUER: 'https://as.example.com',
  OAUTH_KEYS_STORE: 'memory',
}

interface Description {
  paths: Record<string, object>
}

/** JSON with a line for each operation and each schema, so that a change shows where it is. */
export function openApiPage({ paths, ...rest }: Description): string {
  const write = (value: unknown, depth: number): string => {
    if (depth === 0 || value === null || typeof value !== 'object' || Array.isArray(value)) {
      return JSON.stringify(value)
    }
    const lines = Object.entries(value).map(
      ([key, member]) => `${JSON.stringify(key)}: ${write(member, depth - 1)}`
    )
    return `{\n${lines.join(',\n')}\n}`
  }
  /* Whoever mounts its routes first. */
  const inOrder = Object.fromEntries(Object.entries(paths).sort(([a], [b]) => (a < b ? -1 : 1)))
  return `${write({ ...rest, paths: inOrder }, 3)}\n`
}

/** The page of the application with the settings of tests. */
export async function exportedOpenApi(): Promise<string> {
  const file = 'tmp/openapi.json'
  await execute('node', [TYPESCRIPT, 'ace.js', 'openapi:export', file], { cwd: ROOT, env: ENV })
  return openApiPage(JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')))
}
