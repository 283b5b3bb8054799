import type { HttpRequest } from '@adonisjs/core/http'

/**
 * The issuer identifier, and the only source of it: metadata, `iss` in
 * authorization responses (RFC 9207) and `iss` in tokens are the same string,
 * without a trailing slash. Without a configured issuer it is the base URL of
 * the request, and tokens carry none.
 */
export class Issuer {
  constructor(readonly configured: string | null) {}

  of(request: HttpRequest): string {
    return this.configured ?? `${request.protocol()}://${request.host()}`
  }
}
