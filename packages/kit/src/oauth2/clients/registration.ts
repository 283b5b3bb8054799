import type { HttpContext } from '@adonisjs/core/http'

import type { JWK } from 'jose'

import { InvalidClientMetadata } from '#auth/errors'
import type { AuthManager } from '#auth/manager'
import { type MetadataRules, readClientMetadata } from '#oauth2/clients/client_metadata'
import { authMethodsOf } from '#oauth2/clients/auth_methods'
import type { Clients } from '#oauth2/clients/clients'
import { describeOpenId } from '#oauth2/openid/client_registration'
import type { ScopeCatalogue } from '#oauth2/scopes'

/** What a client is told about its registration (RFC 7591 §3.2.1). Instants are epoch seconds. */
export interface RegistrationResponse {
  client_id: string
  client_id_issued_at: number
  client_secret?: string
  /** 0: the secret does not expire. */
  client_secret_expires_at?: number
  client_name: string
  redirect_uris: readonly string[]
  grant_types: readonly string[]
  response_types: string[]
  token_endpoint_auth_method: string
  require_pushed_authorization_requests?: true
  jwks?: { keys: JWK[] }
  jwks_uri?: string
  scope?: string
}

/** Clients register themselves (RFC 7591). */
export class Registration {
  constructor(
    protected services: {
      rules: MetadataRules
      manager: AuthManager
      clients: Clients
      catalogue: ScopeCatalogue
    }
  ) {}

  /**
   * Every request counts against the address of its caller, because each may leave a row.
   *
   * @throws {Throttled} when there were too many
   * @throws {InvalidRedirectUri | InvalidClientMetadata} when the metadata are not acceptable
   */
  async register(
    ctx: HttpContext,
    members: Record<string, unknown>
  ): Promise<RegistrationResponse> {
    const { rules, manager, clients, catalogue } = this.services
    await manager.feature('throttle')?.penalize('clientRegistrations', null, ctx)

    const metadata = readClientMetadata(members, rules)
    const authMethod = metadata.authMethod ?? 'client_secret_basic'
    const methods = authMethodsOf({ clientAssertions: rules.allowsKeys })
    if (!methods.includes(authMethod)) {
      throw new InvalidClientMetadata(
        `The token_endpoint_auth_method must be one of ${methods.join(', ')}.`
      )
    }
    const [client, secret] = await clients.registerDynamically(metadata, authMethod !== 'none')
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(client.createdAt / 1000),
      ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: client.grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      ...(client.requirePushed && { require_pushed_authorization_requests: true }),
      ...(client.jwks && { jwks: { keys: client.jwks } }),
      ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
      ...(rules.openid.enabled && describeOpenId(client)),
      ...(catalogue.names.length && { scope: catalogue.names.join(' ') }),
    }
  }
}
