import { RuntimeException } from '@adonisjs/core/exceptions'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import type { AuthClientResponse } from '@adonisjs/auth/types'
import app from '@adonisjs/core/services/app'

import type { Guard } from '#auth/guards/guard'

/** What each driver's `authenticateAsClient` takes, so that the caller has no other scopes. A session has all. */
const OPTIONS: [driver: string, options: (scopes: string[]) => unknown[]][] = [
  ['token', (scopes) => [scopes]],
  ['oauth2', (scopes) => [{ scopes }]],
  ['session', () => []],
]

/** What a user sends to be recognised, for tests that are not about the way: a token if the application has them. */
export async function credentialsOf(
  user: Parameters<Guard['authenticateAsClient']>[0],
  scopes: readonly string[] = ['*']
): Promise<AuthClientResponse> {
  const manager = await app.container.make('auth_manager')
  for (const [driver, options] of OPTIONS) {
    const name = manager.guardNames.find((guard) => manager.guardDriver(guard) === driver)
    if (name) {
      const guard = manager.guard(name, new HttpContextFactory().create())
      return guard.authenticateAsClient(user, ...options([...scopes]))
    }
  }
  throw new RuntimeException('No guard of config/auth.ts has a driver of the kit')
}
