import type { HttpContext } from '@adonisjs/core/http'

import type { Clients } from '#oauth2/clients/clients'
import { destinationOf } from '#oauth2/clients/client_urls'
import type { AccessKind } from '#auth/account_access'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { isStorable } from '#database/storable_text'
import type { TokenServer } from '#auth/protected_resources'

/** Characters; more than an address has (RFC 5321 §4.5.3.1.3). */
const MAX_HINT = 254

export class AskingClient {
  constructor(protected clients: Clients) {}

  /** The verified host, or the name, of the client whose request waits for the sign-in. Its document is not fetched for that. */
  async nameOf(ctx: HttpContext): Promise<string | null> {
    const id = waitingRequest(ctx).get('client_id')
    const client = id && isStorable(id) ? await this.clients.repository.find(id) : null
    return client && (client.host ?? client.name)
  }

  /** What a page says of a client, revoked or not; null for an unknown one. */
  async describe(id: string) {
    const found = await this.clients.findMany([id])
    const client = found.get(id)
    if (!client) {
      return null
    }
    const { name, host, source, redirectUris } = client
    const hosts = new Set(redirectUris.map((uri) => destinationOf(uri).host))
    /* Anyone can register any name, so only the redirect host identifies such clients. */
    return { name, host, redirectHosts: source === 'registration' ? [...hosts] : null }
  }
}

/** `login_hint` of the waiting request (OpenID Connect Core 1.0 §3.1.2.1): a name to sign in with. */
export function loginHint(ctx: HttpContext): string | null {
  const hint = waitingRequest(ctx).get('login_hint')
  return hint && hint.length <= MAX_HINT ? hint : null
}

/** The parameters of the authorization request that waits for the sign-in; none when none waits. */
function waitingRequest({ session }: HttpContext): URLSearchParams {
  const [path, query] = (session?.getIntendedUrl() ?? '').split('?')
  return new URLSearchParams(path!.endsWith('/oauth/authorize') ? query : '')
}

export function accessKinds(server: AuthorizationServer): AccessKind[] {
  const { personalAccessTokens, connectedApps } = server
  const lengthOf = ({ length }: readonly unknown[]) => length
  return [
    {
      name: 'access_tokens',
      route: 'account.access_tokens.access_tokens.index',
      countOf: (user, users) => personalAccessTokens.list(users.ownerOf(user)).then(lengthOf),
      endAllOf: (user, users) => personalAccessTokens.revokeAll(users.ownerOf(user)),
    },
    {
      name: 'connected_apps',
      route: 'account.connected_apps',
      countOf: (user, users) => connectedApps.list(users.ownerOf(user)).then(lengthOf),
      /* Codes that were not redeemed yet end with their grants. */
      endAllOf: (user, users) => connectedApps.disconnectAll(users.ownerOf(user)).then(lengthOf),
    },
  ]
}

/** What protected endpoints need to know of the server of this package. */
export function tokenServer({ config, dpop }: AuthorizationServer): TokenServer {
  return {
    driver: 'oauth2',
    issuer: config.issuer,
    admission: {
      documents: config.clientDocuments.enabled,
      registration: config.dynamicRegistration,
      otherwise: `set OAUTH_DYNAMIC_REGISTRATION=true, or register them with "node ace auth:oauth2:client --public --grace-period=60"`,
    },
    get proofAlgorithms() {
      return dpop.algorithms
    },
    describesRoot: false,
    serve: (urls, scopesOf) => config.served.add(urls, scopesOf),
  }
}
