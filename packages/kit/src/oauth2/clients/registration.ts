import type { HttpContext } from '@adonisjs/core/http'

import { InvalidClientMetadata } from '#auth/errors'
import type { AuthorizationServer } from '#oauth2/authorization_server'
import { authMethodsOf } from '#oauth2/clients/client_authentication'
import { readClientMetadata } from '#oauth2/clients/client_metadata'
import { describeOpenId } from '#oauth2/openid/client_settings'

/** Clients register themselves (RFC 7591). */
export class Registration {
  constructor(protected server: AuthorizationServer) {}

  /**
   * Every request counts against the address of its caller, because each may leave a row.
   *
   * @returns what the client is told (RFC 7591 §3.2.1), instants in epoch seconds
   * @throws {Throttled} when there were too many
   * @throws {InvalidRedirectUri | InvalidClientMetadata} when the metadata are not acceptable
   */
  async register(ctx: HttpContext, members: Record<string, unknown>) {
    const { config, manager, clients, catalogue, keys } = this.server
    await manager.feature('throttle')?.penalize('clientRegistrations', null, ctx)

    const metadata = readClientMetadata(members, config)
    const authMethod = metadata.authMethod ?? 'client_secret_basic'
    const methods = authMethodsOf(config)
    if (!methods.includes(authMethod)) {
      throw new InvalidClientMetadata(
        `The token_endpoint_auth_method must be one of ${methods.join(', ')}.`
      )
    }
    const [client, secret] = await clients.registerDynamically(metadata, authMethod !== 'none')
    await keys.ready()
    return {
      client_id: client.id,
      client_id_issued_at: Math.floor(client.createdAt / 1000),
      /* 0: the secret does not expire. */
      ...(secret !== null && { client_secret: secret, client_secret_expires_at: 0 }),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: client.grantTypes,
      response_types: ['code'],
      token_endpoint_auth_method: authMethod,
      ...(client.requirePushed && { require_pushed_authorization_requests: true }),
      ...(client.jwks && { jwks: { keys: client.jwks } }),
      ...(client.jwksUri !== null && { jwks_uri: client.jwksUri }),
      ...(config.openid.enabled && describeOpenId(client, keys.signingAlgorithm)),
      ...(catalogue.names.length && { scope: catalogue.names.join(' ') }),
    }
  }

  metadata(issuer: string) {
    const { dynamicRegistration } = this.server.config
    return dynamicRegistration ? { registration_endpoint: `${issuer}/oauth/register` } : {}
  }
}
