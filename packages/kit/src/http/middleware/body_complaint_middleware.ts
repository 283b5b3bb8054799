import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Refuses a body that was not understood, once there is a session: a person gets the form back with a message. */
export default class BodyComplaintMiddleware {
  handle({ request }: HttpContext, next: NextFn) {
    if (request.bodyComplaint) {
      throw request.bodyComplaint
    }
    return next()
  }
}
