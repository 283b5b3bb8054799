import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { BodyReader } from '#http/body/body_reader'

/** Reads the body of every request that a route matches. Files wait until the route asks for them. */
@inject()
export default class BodyMiddleware {
  constructor(protected reader: BodyReader) {}

  async handle(ctx: HttpContext, next: NextFn) {
    await this.reader.read(ctx)
    return next()
  }
}
