import { AsyncLocalStorage } from 'node:async_hooks'

import { HttpContext } from '@adonisjs/core/http'

import { assertRuntime } from '#config/checks'

/** Contexts of handlers that are called without HTTP: only AdonisJS's server can fill its own storage. */
const local = new AsyncLocalStorage<HttpContext>()

export function runInContext<Result>(ctx: HttpContext, work: () => Result): Result {
  return local.run(ctx, work)
}

export function currentContext(): HttpContext | null {
  return HttpContext.get() ?? local.getStore() ?? null
}

/** @param facade its name, for the error message. @throws {RuntimeException} outside a request */
export function currentRequest(facade: string): HttpContext {
  const ctx = HttpContext.get()
  assertRuntime(ctx, `${facade} works only inside an HTTP request; this code runs outside of one`)
  return ctx
}
