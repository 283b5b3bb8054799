import type { HttpContext } from '@adonisjs/core/http'

/** What depends on who asks belongs in no cache, unless its route has a `Cache-Control` of its own. */
export function keepFromCaches({ response }: HttpContext): void {
  response.safeHeader('Cache-Control', 'no-store')
}
