import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'

import { AuthorizationServer } from '#oauth2/authorization_server'

/** Tells clients where the endpoints are and what they can do (RFC 8414). */
@inject()
export default class MetadataController {
  constructor(protected server: AuthorizationServer) {}

  async show({ request, response }: HttpContext) {
    response.header('Content-Type', 'application/json; charset=utf-8')
    return response.send(await this.server.metadata(request))
  }
}
