import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'

/**
 * Feature providers register with the manager that AuthProvider binds, so it comes before them.
 *
 * @throws {RuntimeException} when AuthProvider has not been registered yet
 */
export function assertAuthProvider(app: ApplicationService, provider: string): void {
  if (!app.container.hasBinding('auth_manager')) {
    throw new RuntimeException(
      `${provider} adds to AuthProvider: list AuthProvider before it in adonisrc.ts`
    )
  }
}
