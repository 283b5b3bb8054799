import type { HttpContext } from '@adonisjs/core/http'
import router from '@adonisjs/core/services/router'
import type { NextFn } from '@adonisjs/core/types/http'

import { applyCors, corsPolicyOf, isPreflight } from '#http/cors'

/** CORS for routes that are marked with `cors(policy)`. It runs before the router: preflights and failures are covered. */
export default class RouteCorsMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    const { request, response } = ctx
    const origin = request.header('origin')
    if (origin === undefined) {
      return next()
    }
    const preflight = isPreflight(ctx)
    const method = preflight ? request.header('access-control-request-method')! : request.method()
    const match = router.match(request.url(), method, false, request.hostname())
    const policy = corsPolicyOf(match?.route)
    if (!policy) {
      return next()
    }
    applyCors(ctx, policy, origin)
    return preflight ? response.status(204).send('') : next()
  }
}
