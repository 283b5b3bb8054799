import type { HttpContext } from '@adonisjs/core/http'

import { TOKEN } from '#config/checks'
import { valuedMarks } from '#http/route_marks'

/** Which pages of other origins may call a route, never with cookies (Fetch standard, §3.3). */
export interface CorsPolicy {
  /** "*" for pages of every origin. */
  origins: '*' | ((origin: string, ctx: HttpContext) => boolean)
  methods: readonly string[]
  /** Request headers that a page may send; a trailing "*" stands for any rest of the name. */
  headers: readonly string[]
  /** Response headers that a page may read, besides those that it always may. */
  exposed?: readonly string[]
}

/** Seconds that a browser may keep the answer to a preflight request. */
const MAX_AGE = 600

const policies = valuedMarks<CorsPolicy>('cors')
const decided = new WeakSet<HttpContext>()

/** Opens a route to pages of other origins, whatever `config/cors.ts` says: `router.post(…).use(cors({ … }))`. */
export const cors = policies.mark

export const corsPolicyOf = policies.read

/** Whether the route's own policy has decided, so that `config/cors.ts` does not. */
export const hasOwnCors = (ctx: HttpContext): boolean => decided.has(ctx)

export function applyCors(ctx: HttpContext, policy: CorsPolicy, origin: string): void {
  decided.add(ctx)
  const { origins } = policy
  if (origins !== '*' && !origins(origin, ctx)) {
    return
  }
  ctx.response.header('access-control-allow-origin', origins === '*' ? '*' : origin)
  if (isPreflight(ctx)) {
    const asked = ctx.request.header('access-control-request-headers') ?? ''
    const allowed = asked.split(',').filter((name) => isListed(name.trim(), policy.headers))
    ctx.response
      .header('access-control-allow-methods', policy.methods.join(', '))
      .header('access-control-allow-headers', allowed.map((name) => name.trim()).join(', '))
      .header('access-control-max-age', String(MAX_AGE))
  } else if (policy.exposed?.length) {
    ctx.response.header('access-control-expose-headers', policy.exposed.join(', '))
  }
}

/** A browser's question before the request itself (Fetch standard, §3.3.2). */
export const isPreflight = ({ request }: HttpContext): boolean =>
  request.method() === 'OPTIONS' && request.header('access-control-request-method') !== undefined

/** Header names are compared without case; whatever is no name cannot be listed. */
function isListed(name: string, list: readonly string[]): boolean {
  const wanted = name.toLowerCase()
  return TOKEN.test(wanted) && list.some((one) => isMeantBy(one.toLowerCase(), wanted))
}

/** Whether a pattern means a text; a trailing `*` stands for any rest of it. */
export const isMeantBy = (pattern: string, text: string): boolean =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern
