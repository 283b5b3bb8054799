import assert from 'node:assert/strict'

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import * as oauth from 'oauth4webapi'

const HTTP = { [oauth.allowInsecureRequests]: true } as const

export const CALLBACK = 'http://localhost:7777/callback'

/** A public client, by the library oauth4webapi. */
export class WebClient {
  readonly #verifier = oauth.generateRandomCodeVerifier()
  readonly #state = oauth.generateRandomState()

  private constructor(
    readonly server: oauth.AuthorizationServer,
    readonly client: oauth.Client
  ) {}

  static async discover(app: string, id: string): Promise<WebClient> {
    const issuer = new URL(app)
    const response = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...HTTP })
    return new WebClient(await oauth.processDiscoveryResponse(issuer, response), { client_id: id })
  }

  /** The address that a browser is sent to. */
  async authorizationUrl(fields: Record<string, string>): Promise<URL> {
    const url = new URL(this.server.authorization_endpoint!)
    url.search = String(
      new URLSearchParams({
        client_id: this.client.client_id,
        redirect_uri: CALLBACK,
        response_type: 'code',
        code_challenge: await oauth.calculatePKCECodeChallenge(this.#verifier),
        code_challenge_method: 'S256',
        state: this.#state,
        ...fields,
      })
    )
    return url
  }

  /** Tokens for the answer that a browser has brought. */
  async redeem(answer: URL, resource?: string): Promise<oauth.TokenEndpointResponse> {
    const parameters = oauth.validateAuthResponse(this.server, this.client, answer, this.#state)
    const response = await oauth.authorizationCodeGrantRequest(
      this.server,
      this.client,
      oauth.None(),
      parameters,
      CALLBACK,
      this.#verifier,
      { ...HTTP, ...(resource && { additionalParameters: { resource } }) }
    )
    return oauth.processAuthorizationCodeResponse(this.server, this.client, response)
  }

  async refresh(token: string): Promise<Response> {
    return oauth.refreshTokenGrantRequest(this.server, this.client, oauth.None(), token, HTTP)
  }

  async revoke(token: string): Promise<void> {
    const response = await oauth.revocationRequest(
      this.server,
      this.client,
      oauth.None(),
      token,
      HTTP
    )
    await oauth.processRevocationResponse(response)
  }
}

/** Calls a tool as an AI client does, by the official SDK. */
export async function callTool(url: string, token: string, name: string): Promise<unknown> {
  const client = new Client({ name: 'rehearsal', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport as any)
  try {
    const tools = await client.listTools()
    assert.ok(tools.tools.some((tool) => tool.name === name))
    const { structuredContent } = await client.callTool({ name, arguments: {} })
    return structuredContent
  } finally {
    await client.close()
  }
}
