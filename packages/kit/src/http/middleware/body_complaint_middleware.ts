import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { bodyComplaint } from '#http/middleware/body_middleware'

/** Refuses a body that was not understood, once there is a session: a person gets the form back with a message. */
export default class BodyComplaintMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    const complaint = bodyComplaint(ctx)
    if (complaint) {
      throw complaint
    }
    return next()
  }
}
