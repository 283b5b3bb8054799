import { RuntimeException } from '@adonisjs/core/exceptions'
import { HttpContext } from '@adonisjs/core/http'

/** @param facade its name, for the error message. @throws {RuntimeException} outside a request */
export function currentRequest(facade: string): HttpContext {
  const ctx = HttpContext.get()
  if (!ctx) {
    throw new RuntimeException(
      `${facade} works only inside an HTTP request; this code runs outside of one`
    )
  }
  return ctx
}
