import { RuntimeException } from '@adonisjs/core/exceptions'
import type { ApplicationService } from '@adonisjs/core/types'

/**
 * Feature providers add to the manager that AuthProvider binds (spec 1, Registration 1).
 *
 * @throws {RuntimeException} when AuthProvider has not been registered before
 */
export function assertAuthProvider(app: ApplicationService, provider: string): void {
  if (!app.container.hasBinding('auth_manager')) {
    throw new RuntimeException(
      `${provider} adds to AuthProvider: list AuthProvider before it in adonisrc.ts`
    )
  }
}
