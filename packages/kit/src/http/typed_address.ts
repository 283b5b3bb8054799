import type { HttpContext } from '@adonisjs/core/http'

const KEY = 'typed_address'

/** Keeps the address that a person typed for the next page that asks for it: sign-in, a forgotten password. It never stands in a link. */
export function rememberAddress({ session }: HttpContext, email: string): void {
  session.put(KEY, email)
}

/** The address that the person has typed on a page before; empty when there is none. */
export function typedAddress({ session }: HttpContext): string {
  return session?.get(KEY, '') ?? ''
}
