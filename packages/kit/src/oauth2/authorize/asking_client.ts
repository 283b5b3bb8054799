import type { HttpContext } from '@adonisjs/core/http'

import type { Clients } from '#oauth2/clients/clients'

declare module '#auth/features' {
  interface AuthFeatures {
    /** Who has sent a person to the sign-in page. */
    askingClient: AskingClient
  }
}

export class AskingClient {
  constructor(protected clients: Clients) {}

  /** The name, or the verified host, of the client whose authorization request waits for the sign-in; null when none waits. */
  async nameOf({ session }: HttpContext): Promise<string | null> {
    const [path, query = ''] = (session?.getIntendedUrl() ?? '').split('?')
    const id = new URLSearchParams(query).get('client_id')
    if (!path!.endsWith('/oauth/authorize') || !id) {
      return null
    }
    const client = await this.clients.findRegistered(id)
    return client && (client.host ?? client.name)
  }
}
