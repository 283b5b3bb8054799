import { HttpContextFactory } from '@adonisjs/core/factories/http'
import app from '@adonisjs/core/services/app'
import {
  Client as ClientV2,
  type OAuthClientProvider,
  StreamableHTTPClientTransport as TransportV2,
} from '@modelcontextprotocol/client'
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { appUrl } from '#config/app'
import type { TestClient } from '#starter/helpers/oauth'
import { serverUrl } from '#starter/helpers/server_url'

const info = { name: 'test', version: '1.0.0' }

/** Where nothing listens: the test reads the address that the browser is sent to. */
export const CALLBACK = 'http://localhost:7777/callback'

/** How a client gets its client_id. */
export type Identity = { registered: TestClient } | { documentUrl: string } | 'dynamic'

/** What a client keeps between its steps. The browser that it opens is the test. */
export class TestAuthProvider implements OAuthClientProvider {
  readonly clientMetadata
  readonly clientMetadataUrl?: string
  /** The page that it wants opened. */
  opened?: URL
  client?: any
  held?: any
  #verifier = ''
  #discovered?: any

  /** @param issuer the authorization server that a registered client belongs to */
  constructor(
    identity: Identity,
    issuer: string,
    readonly redirectUrl = CALLBACK
  ) {
    this.clientMetadata = {
      client_name: 'Test client',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    }
    if (identity !== 'dynamic' && 'registered' in identity) {
      const { id, secret } = identity.registered
      this.client = { client_id: id, ...(secret !== null && { client_secret: secret }), issuer }
    } else if (identity !== 'dynamic') {
      this.clientMetadataUrl = identity.documentUrl
    }
  }

  clientInformation() {
    return this.client
  }

  saveClientInformation(client: any) {
    this.client = client
  }

  tokens() {
    return this.held
  }

  saveTokens(tokens: any) {
    this.held = tokens
  }

  invalidateCredentials(scope: string) {
    if (scope === 'all' || scope === 'tokens') {
      this.held = undefined
    }
  }

  saveDiscoveryState(discovered: any) {
    this.#discovered = discovered
  }

  discoveryState() {
    return this.#discovered
  }

  redirectToAuthorization(to: URL) {
    this.opened = to
  }

  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier
  }

  codeVerifier() {
    return this.#verifier
  }
}

interface ClientOptions {
  authProvider?: OAuthClientProvider
  fetch?: (input: string | URL, init?: RequestInit) => Promise<Response>
}

type Mode = 'legacy' | 'auto' | { pin: string }

const v2 = (name: string, mode: Mode) => ({
  name,
  /** Whether it asks for the scopes of a challenge although it holds a token. */
  stepsUp: true,
  client: (capabilities?: object) =>
    new ClientV2(info, { versionNegotiation: { mode }, capabilities }),
  transport: (url: string, options: ClientOptions) => new TransportV2(new URL(url), options),
})

/** The official clients, in each way of finding the revision to speak. */
export const SDKS = [
  {
    name: 'SDK v1',
    stepsUp: false,
    client: (capabilities?: object) => new ClientV1(info, { capabilities }) as unknown as ClientV2,
    transport: (url: string, options: ClientOptions) =>
      new TransportV1(new URL(url), options as any) as unknown as TransportV2,
  },
  v2('SDK v2, legacy', 'legacy'),
  v2('SDK v2, auto', 'auto'),
  v2('SDK v2, pinned', { pin: '2026-07-28' }),
]

/** A connected client that sends an access token of the user for a mount. */
export async function connectAs(
  sdk: (typeof SDKS)[number],
  user: object,
  options: { path?: string; scopes: string[]; capabilities?: object; server?: string }
): Promise<ClientV2> {
  const { path = '/mcp', server = await serverUrl() } = options
  const manager = await app.container.make('auth_manager')
  const guard = manager.guard('oauth', new HttpContextFactory().create())
  const { headers } = await guard.authenticateAsClient(user as never, {
    scopes: options.scopes,
    resource: `${appUrl}${path}`,
  })
  const client = sdk.client(options.capabilities)
  const send = (input: string | URL, init?: RequestInit) => {
    const all = new Headers(init?.headers)
    Object.entries(headers!).forEach(([name, value]) => all.set(name, String(value)))
    return fetch(input, { ...init, headers: all })
  }
  await client.connect(sdk.transport(`${server}${path}`, { fetch: send }))
  return client
}
