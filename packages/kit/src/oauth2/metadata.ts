import { authMethodMetadata } from '#oauth2/clients/auth_methods'
import { DPOP_ALGORITHMS } from '#oauth2/dpop/config'
import { DEVICE_CODE } from '#oauth2/device/config'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { KeySet } from '#oauth2/keys/key_set'
import { OFFLINE_ACCESS, type ScopeCatalogue } from '#oauth2/scopes'
import { signedIntrospectionMetadata } from '#oauth2/tokens/signed_introspection'
import { ID_JAG_PROFILE } from '#oauth2/trusted_issuers/config'

/**
 * The authorization server's metadata (RFC 8414 §2; RFC 9207 §3; RFC 8628 §4; RFC 9126 §5; RFC 9449 §5.1;
 * draft-ietf-oauth-client-id-metadata-document-02 §6; draft-ietf-oauth-identity-assertion-authz-grant-04 §7.2).
 */
export function createMetadata(
  issuer: string,
  config: Pick<
    ResolvedOAuth2Config,
    | 'grantTypes'
    | 'pkceMethods'
    | 'clientDocuments'
    | 'dynamicRegistration'
    | 'clientAssertions'
    | 'pushedRequests'
    | 'dpop'
    | 'trustedIssuers'
  >,
  catalogue: ScopeCatalogue,
  keys: KeySet
) {
  const scopes = new Set(catalogue.names)
  if (scopes.size > 0 && config.grantTypes.includes('refresh_token')) {
    scopes.add(OFFLINE_ACCESS)
  }
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    ...(keys.stored && { jwks_uri: `${issuer}/.well-known/jwks.json` }),
    ...(config.dynamicRegistration && { registration_endpoint: `${issuer}/oauth/register` }),
    ...(config.grantTypes.includes(DEVICE_CODE) && {
      device_authorization_endpoint: `${issuer}/oauth/device_authorization`,
    }),
    ...(config.pushedRequests.enabled && {
      pushed_authorization_request_endpoint: `${issuer}/oauth/par`,
    }),
    ...(config.pushedRequests.required && { require_pushed_authorization_requests: true }),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: config.grantTypes,
    ...(config.trustedIssuers.length > 0 && {
      authorization_grant_profiles_supported: [ID_JAG_PROFILE],
    }),
    ...(scopes.size > 0 && { scopes_supported: [...scopes] }),
    ...authMethodMetadata(config),
    ...signedIntrospectionMetadata(keys),
    code_challenge_methods_supported: config.pkceMethods,
    authorization_response_iss_parameter_supported: true,
    ...(config.dpop.enabled && { dpop_signing_alg_values_supported: DPOP_ALGORITHMS }),
    ...(config.clientDocuments.enabled && { client_id_metadata_document_supported: true }),
  }
}
