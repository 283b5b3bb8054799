import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { bodyComplaint } from '#http/middleware/body_middleware'

/**
 * Refuses a body that could not be understood, once there is a session: a person
 * is sent back to the form with a flash message.
 */
export default class BodyComplaintMiddleware {
  handle(ctx: HttpContext, next: NextFn) {
    const complaint = bodyComplaint(ctx)
    if (complaint) {
      throw complaint
    }
    return next()
  }
}
