import { inject } from '@adonisjs/core'
import { errors, type HttpContext } from '@adonisjs/core/http'

import { OpenApi } from '#openapi/openapi'

/** The description of the HTTP interface. It is not there unless the setting `served` is on. */
@inject()
export default class OpenApiController {
  constructor(protected openapi: OpenApi) {}

  async show({ request, response }: HttpContext) {
    if (!this.openapi.isServed) {
      throw new errors.E_ROUTE_NOT_FOUND([request.method(), request.url()])
    }
    return response.header('Cache-Control', 'no-store').ok(await this.openapi.document())
  }
}
