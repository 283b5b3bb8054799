import type { HttpContext } from '@adonisjs/core/http'

/**
 * An answer that depends on who asks belongs in no cache, unless its route says otherwise with a
 * `Cache-Control` of its own: the pages of one person would be shown to the next at the browser.
 */
export function keepFromCaches({ response }: HttpContext): void {
  response.safeHeader('Cache-Control', 'no-store')
}
