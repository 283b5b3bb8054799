import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

import { respond } from '#json_api/respond'

/** Lets every route answer with a JSON:API resource: it only has to return one. */
export default class JsonApiResourcesMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    await next()
    await respond(ctx)
  }
}
