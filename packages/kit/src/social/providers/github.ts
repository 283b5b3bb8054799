import * as client from 'openid-client'

import { assertOr } from '#process/assert_or'
import { addressOf, claimText } from '#social/providers/claims'
import { IdentityProvider, type ProviderSettings, TIMEOUT } from '#social/providers/provider'
import type { Checks, SocialProfile } from '#social/types'

export interface GitHubSettings extends ProviderSettings {
  clientSecret: string
  /** Of GitHub Enterprise, its own host. Default `https://github.com`. */
  url?: string
  /** Default `https://api.github.com`. */
  apiUrl?: string
}

/** GitHub knows OAuth 2.0 and no OpenID Connect: the person comes from its API. */
export class GitHubProvider extends IdentityProvider {
  readonly #apiUrl: string
  readonly #configuration: client.Configuration

  constructor(name: string, settings: GitHubSettings) {
    const { url = 'https://github.com', apiUrl = 'https://api.github.com' } = settings
    super(name, settings)
    this.#apiUrl = apiUrl
    this.#configuration = new client.Configuration(
      {
        issuer: `${url}/login/oauth`,
        authorization_endpoint: `${url}/login/oauth/authorize`,
        token_endpoint: `${url}/login/oauth/access_token`,
      },
      settings.clientId,
      undefined,
      client.ClientSecretPost(settings.clientSecret)
    )
    this.#configuration.timeout = TIMEOUT
    this.#configuration[client.customFetch] = this.fetch
    if (url.startsWith('http:')) {
      client.allowInsecureRequests(this.#configuration)
    }
  }

  async authorizationUrl(redirectUri: string, checks: Checks): Promise<URL> {
    return client.buildAuthorizationUrl(this.#configuration, {
      redirect_uri: redirectUri,
      scope: 'read:user user:email',
      ...(await this.requestParameters(checks)),
    })
  }

  async profile(callback: URL, checks: Checks): Promise<SocialProfile> {
    const tokens = await client.authorizationCodeGrant(this.#configuration, callback, {
      expectedState: checks.state,
      pkceCodeVerifier: checks.verifier,
    })
    const person = await this.#read(tokens.access_token, '/user')
    const emails = await this.#read(tokens.access_token, '/user/emails')
    const primary = Array.isArray(emails) ? emails.find((one) => one?.primary === true) : undefined
    assertOr(Number.isSafeInteger(person?.id), Error, 'the answer of GitHub has no id')
    return {
      issuer: this.#configuration.serverMetadata().issuer,
      /* The login can be given to somebody else, the id cannot. */
      subject: String(person.id),
      ...addressOf(primary?.email, primary?.verified),
      fullName: claimText(person.name),
      sid: null,
      amr: [],
      claims: { login: person.login },
    }
  }

  async #read(token: string, path: string): Promise<any> {
    const url = new URL(`${this.#apiUrl}${path}`)
    const headers = new Headers({ accept: 'application/vnd.github+json' })
    const request = ['GET', undefined, headers] as const
    const answer = await client.fetchProtectedResource(this.#configuration, token, url, ...request)
    assertOr(answer.ok, Error, `GitHub answered ${answer.status}`)
    return answer.json()
  }
}
