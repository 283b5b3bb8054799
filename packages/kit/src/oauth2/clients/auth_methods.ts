import { ASYMMETRIC_ALGORITHMS } from '#oauth2/keys/signing_key'

interface Config {
  clientAssertions: boolean
}

/** How clients can authenticate at the token endpoint (RFC 8414 §2). */
export function authMethodsOf({ clientAssertions }: Config): string[] {
  return [
    'client_secret_basic',
    'client_secret_post',
    ...(clientAssertions ? ['private_key_jwt'] : []),
    'none',
  ]
}

/** What the metadata of the server say about it, for each endpoint that clients authenticate at. */
export function authMethodMetadata(config: Config): object {
  const methods = authMethodsOf(config)
  const algorithms = (endpoint: string) =>
    config.clientAssertions && {
      [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: ASYMMETRIC_ALGORITHMS,
    }
  return {
    token_endpoint_auth_methods_supported: methods,
    ...algorithms('token'),
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== 'none'),
    ...algorithms('introspection'),
    revocation_endpoint_auth_methods_supported: methods,
    ...algorithms('revocation'),
  }
}
