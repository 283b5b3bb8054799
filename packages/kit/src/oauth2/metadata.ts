import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import { OFFLINE_ACCESS } from '#oauth2/scopes'
import { BoundedMap } from '#process/bounded_map'

/** Cached documents: one, unless the issuer depends on the request. */
const LIMIT = 10

/** Parts of the server that add their own metadata while they are on. */
const PARTS = [
  ...(['authentication', 'registration', 'documents', 'devices', 'pushed', 'dpop'] as const),
  ...(['grants', 'signedIntrospection', 'openid'] as const),
]

/** The authorization server's metadata (RFC 8414 §2, RFC 9207 §3). */
export class Metadata {
  readonly #documents = new BoundedMap<string, string>(LIMIT)

  constructor(protected server: AuthorizationServer) {}

  /** The document as JSON, cached until the algorithms of keys change. */
  async of(request: HttpRequest): Promise<string> {
    const { keys } = this.server
    await keys.ready()
    const issuer = this.server.issuer.of(request)
    const { isAsymmetric, algorithms, signingAlgorithm } = keys
    const name = [issuer, isAsymmetric, signingAlgorithm, ...algorithms].join(' ')
    const document = this.#documents.get(name) ?? JSON.stringify(this.#create(issuer))
    this.#documents.set(name, document)
    return document
  }

  #create(issuer: string) {
    const { config, keys, catalogue } = this.server
    const scopes = new Set(catalogue.names)
    if (scopes.size > 0 && config.grantTypes.includes('refresh_token')) {
      scopes.add(OFFLINE_ACCESS)
    }
    const parts = PARTS.map((name) => this.server[name]?.metadata(issuer))
    return {
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      introspection_endpoint: `${issuer}/oauth/introspect`,
      ...(keys.stored && { jwks_uri: `${issuer}/.well-known/jwks.json` }),
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      ...(scopes.size > 0 && { scopes_supported: [...scopes] }),
      code_challenge_methods_supported: config.pkceMethods,
      authorization_response_iss_parameter_supported: true,
      ...Object.assign({}, ...parts),
    }
  }
}
