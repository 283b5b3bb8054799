import type { HttpContext } from '@adonisjs/core/http'

const clients = new WeakMap<HttpContext, string>()

/** Notes which OAuth client has authenticated itself with a request, for the access log. */
export function noteClient(ctx: HttpContext, clientId: string): void {
  clients.set(ctx, clientId)
}

/** The OAuth client that has authenticated itself with a request; null for none. */
export function actingClient(ctx: HttpContext): string | null {
  return clients.get(ctx) ?? null
}
