import type { HttpContext } from '@adonisjs/core/http'

import { destinationOf } from '#oauth2/authorize/destination'
import type { Client } from '#oauth2/clients/client'

/**
 * Whether a browser may be sent to a client's address before a person has acted. Anybody can be
 * a client that nobody here registered, so its address is as good as any: people would be led from
 * here to wherever its owner wants them (RFC 9700 §4.11.2).
 */
export function mayRedirectUnasked(client: Client): boolean {
  return client.source === null
}

/**
 * A page with the client's address in words and a link, in place of a redirect.
 *
 * @param location the whole address, with what the client is told
 */
export function renderDeparture(
  ctx: HttpContext,
  { location, client, signedOut }: { location: string; client: Client; signedOut: boolean }
): Promise<string> {
  return ctx.view.render('pages/oauth/departure', {
    location,
    client: client.host ?? client.name,
    destination: destinationOf(location),
    signedOut,
  })
}
