import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import type { Router } from '@adonisjs/core/http'

import type { AuthManager } from '#auth/manager'

/**
 * Checks the `guards` of all named middleware. A list may name a guard that does
 * not exist, so that a feature can be taken out without touching every route; a
 * list of such guards alone would lock everybody out.
 *
 * @throws {InvalidArgumentsException} for a route that lists only guards that do not exist
 */
export function assertGuardLists(
  router: Pick<Router, 'toJSON'>,
  manager: Pick<AuthManager, 'hasGuard'>
): void {
  for (const route of Object.values(router.toJSON()).flat()) {
    for (const guards of guardLists(route.middleware.all())) {
      if (!guards.some((name) => manager.hasGuard(name))) {
        const names = guards.map((name) => `"${name}"`).join(', ') || 'none'
        throw new InvalidArgumentsException(
          `Nobody can pass the route "${route.methods.join('|')} ${route.pattern}": of the guards that it lists (${names}) none is in config/auth.ts`
        )
      }
    }
  }
}

/** The lists among the arguments of a route's named middleware. */
function guardLists(middleware: Iterable<unknown>): string[][] {
  return [...middleware]
    .map((one) => (one as { args?: { guards?: unknown } }).args?.guards)
    .filter((guards) => Array.isArray(guards))
}
