import { randomUUID } from 'node:crypto'

/** What an application keeps of its sign-in for the SDKs, in memory. */
export class Sign {
  /** The page that the SDK wants opened. */
  opened
  #held
  #client
  #verifier
  #state
  #discovered
  #server

  constructor({ redirectUri, clientId, isDocument, issuer }) {
    this.redirectUrl = redirectUri
    this.clientMetadata = metadata('An application', redirectUri)
    if (isDocument) this.clientMetadataUrl = clientId
    else if (clientId) this.#client = { client_id: clientId, issuer }
  }

  clientInformation = () => this.#client
  saveClientInformation = (client) => void (this.#client = client)
  tokens = () => this.#held
  saveTokens = (tokens) => void (this.#held = tokens)
  redirectToAuthorization = (url) => void (this.opened = url)
  codeVerifier = () => this.#verifier
  saveCodeVerifier = (verifier) => void (this.#verifier = verifier)
  state = () => (this.#state = randomUUID())
  saveState = (state) => void (this.#state = state)
  storedState = () => this.#state
  discoveryState = () => this.#discovered
  saveDiscoveryState = (discovered) => void (this.#discovered = discovered)
  authorizationServerInformation = () => this.#server
  saveAuthorizationServerInformation = (server) => void (this.#server = server)
  invalidateCredentials = (scope) => {
    if (scope === 'all' || scope === 'tokens') this.#held = undefined
  }
}

/** The metadata of a public client (RFC 7591). */
export const metadata = (name, redirectUri) => ({
  client_name: name,
  redirect_uris: [redirectUri],
  token_endpoint_auth_method: 'none',
  grant_types: ['authorization_code', 'refresh_token'],
})

/**
 * Calls as an application does: when the SDK wants a page opened, the person allows what
 * it asks, and the call is made again.
 *
 * @param host.sign has the page in `opened`
 * @param host.finish is given the answer to the authorization request
 */
export async function callSignedIn({ sign, allow, finish }, call) {
  sign.opened = undefined
  try {
    return await call()
  } catch (error) {
    if (!sign.opened) throw error
    await finish((await allow(sign.opened)).searchParams)
    return call()
  }
}
