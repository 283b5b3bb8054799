import { DEVICE_CODE } from '#oauth2/device/config'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { ScopeCatalogue } from '#oauth2/scopes'

/**
 * The authorization server's metadata (RFC 8414 §2; RFC 9207 §3; RFC 8628 §4;
 * draft-ietf-oauth-client-id-metadata-document-02 §6).
 */
export function createMetadata(
  issuer: string,
  config: Pick<
    ResolvedOAuth2Config,
    'keys' | 'grantTypes' | 'pkceMethods' | 'clientDocuments' | 'dynamicRegistration'
  >,
  catalogue: ScopeCatalogue
) {
  const scopes = catalogue.names
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    ...(config.keys.store !== 'none' && { jwks_uri: `${issuer}/.well-known/jwks.json` }),
    ...(config.dynamicRegistration && { registration_endpoint: `${issuer}/oauth/register` }),
    ...(config.grantTypes.includes(DEVICE_CODE) && {
      device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: config.grantTypes,
    ...(scopes.length && { scopes_supported: scopes }),
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint_auth_methods_supported: [
      'client_secret_basic',
      'client_secret_post',
      'none',
    ],
    code_challenge_methods_supported: config.pkceMethods,
    authorization_response_iss_parameter_supported: true,
    ...(config.clientDocuments.enabled && { client_id_metadata_document_supported: true }),
  }
}
