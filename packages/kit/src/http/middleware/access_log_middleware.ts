import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { AccessLog } from '#http/access_log'
import { traced } from '#process/spans'

/** Comes first: its time, and its span, are those of the whole request. */
@inject()
export default class AccessLogMiddleware {
  constructor(protected log: AccessLog) {}

  handle(ctx: HttpContext, next: NextFn) {
    this.log.watch(ctx)
    return traced('request', next, {
      kind: 'server',
      parent: ctx.request.request.headers,
      outcome: () => outcomeOf(ctx),
    })
  }
}

/** The route by its pattern: a path may hold a secret. */
function outcomeOf({ request, response, route }: HttpContext) {
  const method = request.method()
  const pattern = route?.pattern ?? 'unmatched'
  return {
    name: `${method} ${pattern}`,
    attributes: {
      'http.request.method': method,
      'http.route': pattern,
      'http.response.status_code': response.getStatus(),
    },
  }
}
