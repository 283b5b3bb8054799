import type { TokenServer } from '#auth/protected_resources'
import type { AuthorizationServer } from '#oauth2/authorization_server'

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
