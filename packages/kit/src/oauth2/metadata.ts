import type { HttpRequest } from '@adonisjs/core/http'

import type { AuthorizationServer } from '#oauth2/authorization_server'
import { authMethodsOf } from '#oauth2/clients/client_authentication'
import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'
import { OFFLINE_ACCESS } from '#oauth2/scopes'
import { ID_JAG_PROFILE } from '#oauth2/trusted_issuers/config'

/** The authorization server's metadata (RFC 8414 §2, RFC 9207 §3). JSON leaves out what is undefined. */
export async function describeServer(server: AuthorizationServer, request: HttpRequest) {
  const { config, keys, catalogue, devices, dpop, openid } = server
  await keys.ready()
  const issuer = server.issuerOf(request)
  const { pushedRequests, clientDocuments, trustedIssuers } = config
  const scopes = new Set(catalogue.names)
  if (scopes.size > 0 && config.grantTypes.includes('refresh_token')) {
    scopes.add(OFFLINE_ACCESS)
  }
  const methods = authMethodsOf(config)
  const algorithms = when(config.clientAssertions, ASYMMETRIC_ALGORITHMS)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    jwks_uri: when(keys.stored, `${issuer}/.well-known/jwks.json`),
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    scopes_supported: when(scopes.size, [...scopes]),
    code_challenge_methods_supported: config.pkceMethods,
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    /* RFC 7591, and draft-ietf-oauth-client-id-metadata-document-02. */
    registration_endpoint: when(config.dynamicRegistration, `${issuer}/oauth/register`),
    client_id_metadata_document_supported: when(clientDocuments.enabled, true),
    /* RFC 8628 §4, RFC 9126 §5, RFC 9449 §5.1, RFC 9701 §7. */
    device_authorization_endpoint: when(devices.isEnabled, `${issuer}/oauth/device_authorization`),
    pushed_authorization_request_endpoint: when(pushedRequests.enabled, `${issuer}/oauth/par`),
    require_pushed_authorization_requests: when(pushedRequests.required, true),
    dpop_signing_alg_values_supported: when(dpop.isEnabled, dpop.algorithms),
    grant_types_supported: config.grantTypes,
    authorization_grant_profiles_supported: when(trustedIssuers.length, [ID_JAG_PROFILE]),
    introspection_signing_alg_values_supported: when(keys.isAsymmetric, keys.algorithms),
    ...openid?.metadata(),
  }
}

const when = <Value>(isOn: unknown, value: Value) => (isOn ? value : undefined)
