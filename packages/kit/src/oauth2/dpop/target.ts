import type { HttpContext } from '@adonisjs/core/http'

import { resourceOf } from '#auth/challenge'

/** By which names this server is known. */
interface Names {
  issuer: string | null
  resources: readonly string[]
}

/**
 * Whether an `htu` is the address of a request, without query and fragment
 * (RFC 9449 §4.3, 9). A server with an issuer goes by its configured names: a
 * `Host` header is anybody's, and a proof for another server must not pass here.
 */
export function isTarget(htu: unknown, ctx: HttpContext, names: Names): boolean {
  if (typeof htu !== 'string' || !URL.canParse(htu)) {
    return false
  }
  const { request } = ctx
  const path = request.request.url!.split('?')[0]!
  const { origin, pathname } = new URL(htu)
  return basesOf(ctx, names).some((base) => {
    const target = URL.parse(base + path)
    return target !== null && target.origin === origin && target.pathname === pathname
  })
}

function basesOf({ request, route }: HttpContext, { issuer, resources }: Names): string[] {
  if (issuer === null) {
    return [`${request.protocol()}://${request.host()}`]
  }
  const bound = resourceOf(route)?.url
  const origins = [issuer, ...resources, ...(bound ? [bound] : [])].map(
    (url) => new URL(url).origin
  )
  /* A proxy may have taken the path of the issuer away. */
  return [issuer, ...origins]
}
