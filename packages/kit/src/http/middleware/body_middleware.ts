import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { BodyReader } from '#http/body/body_reader'
import { MalformedBody } from '#http/errors'

/** Files wait until the route asks for them; a complaint about the text of a body, for `BodyComplaintMiddleware`. */
@inject()
export default class BodyMiddleware {
  constructor(protected reader: BodyReader) {}

  async handle(ctx: HttpContext, next: NextFn) {
    try {
      await this.reader.read(ctx)
    } catch (error) {
      if (!(error instanceof MalformedBody)) {
        throw error
      }
      ctx.request.bodyComplaint = error
    }
    return next()
  }
}
