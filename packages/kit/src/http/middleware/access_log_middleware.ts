import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { AccessLog } from '#http/access_log'

/** Comes first: its time is that of the whole request. */
@inject()
export default class AccessLogMiddleware {
  constructor(protected log: AccessLog) {}

  handle(ctx: HttpContext, next: NextFn) {
    this.log.watch(ctx)
    return next()
  }
}
