import { inject } from '@adonisjs/core'

import { AuthorizationServer } from '#oauth2/authorization_server'

/** A controller over the authorization server, which the container hands over. */
@inject()
export class ServerController {
  constructor(protected server: AuthorizationServer) {}
}
