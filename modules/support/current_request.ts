import { RuntimeException } from '@adonisjs/core/exceptions'
import { HttpContext } from '@adonisjs/core/http'

/**
 * The request that is being handled.
 *
 * @throws {RuntimeException} outside a request
 */
export function currentRequest(facade: string): HttpContext {
  const ctx = HttpContext.get()
  if (!ctx) {
    throw new RuntimeException(
      `${facade} works inside an HTTP request, and this code runs outside of one`
    )
  }
  return ctx
}
