import type { AuthorizationServer } from '#oauth2/authorization_server'

/** A part of the server, through which it finds the other parts during a request. */
export abstract class ServerPart {
  constructor(protected server: AuthorizationServer) {}
}
