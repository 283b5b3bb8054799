import { RuntimeException } from '@adonisjs/core/exceptions'
import { createRemoteJWKSet, customFetch as fetchOfKeys } from 'jose'
import * as client from 'openid-client'

import { assertArgument } from '#config/checks'
import type { FetchInit } from '#http/document_fetcher'
import { isLoopback } from '#http/loopback'
import { assertOr } from '#process/assert_or'
import { rememberedOf } from '#process/remembered'
import type { Checks, SocialProfile } from '#social/types'
import { CLOCK_SKEW, addressOf, claimText, subjectOf } from '#social/providers/claims'
import { type LogoutToken, readLogoutToken } from '#social/providers/logout_token'
import { IdentityProvider, type ProviderSettings, TIMEOUT } from '#social/providers/provider'

/** Milliseconds after which the metadata of a provider is read again. Keys are read again when one is unknown. */
const METADATA_LIFETIME = 60 * 60 * 1000

export interface OpenIdSettings extends ProviderSettings {
  issuer: string
  /** Default `openid profile email`. */
  scope?: string
  /** How the client authenticates, or a function of your own. Default `client_secret_basic`, where the metadata list it. */
  authentication?: 'client_secret_basic' | 'client_secret_post' | client.ClientAuth
  domain?: string
  /** How the provider is reached. Default: the `fetch` of Node, for answers of up to 200 KB. */
  fetch?: (url: string, init: FetchInit) => Promise<Response>
}

/** Sign-in by OpenID Connect Core 1.0, with PKCE, `state`, `nonce` and `iss` (RFC 9700). */
export class OpenIdProvider extends IdentityProvider {
  declare protected readonly settings: OpenIdSettings
  override readonly domain: string | undefined
  #configuration?: Promise<client.Configuration>
  #readAt = 0
  /** Keys for logout tokens; `openid-client` has its own for ID tokens. */
  readonly #keysOf = rememberedOf((configuration: client.Configuration) => {
    const { jwks_uri: uri } = configuration.serverMetadata()
    const { fetch = this.fetch } = this.settings
    assertOr(uri, Error, 'the metadata of the provider name no keys')
    const timeoutDuration = TIMEOUT * 1000
    return createRemoteJWKSet(new URL(uri), { timeoutDuration, [fetchOfKeys]: fetch })
  })

  /** @throws {InvalidArgumentsException} for an issuer over plain http on another machine */
  constructor(name: string, settings: OpenIdSettings) {
    const { protocol, hostname } = new URL(settings.issuer)
    const isSafe = protocol !== 'http:' || isLoopback(hostname)
    assertArgument(isSafe, `SocialConfig: the issuer of "${name}" must be an https address`)
    super(name, settings)
    this.domain = settings.domain
  }

  /** Reads the metadata. @throws {Error} when they cannot be read, or do not fit */
  async probe(): Promise<void> {
    client.buildAuthorizationUrl(await this.#configure(), {})
  }

  async authorizationUrl(redirectUri: string, checks: Checks): Promise<URL> {
    const configuration = await this.#configure()
    const isPushed = configuration.serverMetadata().require_pushed_authorization_requests === true
    const build = isPushed ? client.buildAuthorizationUrlWithPAR : client.buildAuthorizationUrl
    return build(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scope ?? 'openid profile email',
      nonce: checks.nonce,
      ...(await this.requestParameters(checks)),
    })
  }

  async profile(callback: URL, checks: Checks): Promise<SocialProfile> {
    const configuration = await this.#configure()
    const tokens = await client.authorizationCodeGrant(configuration, callback, {
      expectedState: checks.state,
      expectedNonce: checks.nonce,
      pkceCodeVerifier: checks.verifier,
    })
    const idToken = tokens.claims()!
    this.#assertFresh(idToken.auth_time, checks.freshSince)

    const lacksAddress = idToken.email === undefined
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata()
    /* Its `sub` must be that of the ID token (OpenID Connect Core 1.0 §5.3.2). */
    const userInfo =
      lacksAddress && endpoint
        ? await client.fetchUserInfo(configuration, tokens.access_token, idToken.sub)
        : ({} as Record<string, unknown>)
    const claims: Record<string, unknown> = { ...userInfo, ...idToken }
    const { email, email_verified: isVerified } = lacksAddress ? userInfo : idToken
    return {
      issuer: idToken.iss,
      subject: subjectOf(idToken.sub),
      ...addressOf(email, isVerified),
      fullName: claimText(claims.name),
      sid: typeof idToken.sid === 'string' ? idToken.sid : null,
      amr: Array.isArray(idToken.amr) ? idToken.amr.filter((one) => typeof one === 'string') : [],
      claims,
    }
  }

  override async readLogoutToken(token: string): Promise<LogoutToken> {
    const configuration = await this.#configure()
    const { issuer } = configuration.serverMetadata()
    const { clientId } = this.settings
    return readLogoutToken(token, this.#keysOf(configuration), { issuer, clientId })
  }

  /** With `max_age` the ID token says when (OpenID Connect Core 1.0 §3.1.2.1). */
  #assertFresh(authTime: number | undefined, since: number | null) {
    const { max_age: isPromised } = this.reauthentication
    if (since === null || (authTime === undefined && isPromised === undefined)) {
      return
    }
    const isFresh = authTime !== undefined && authTime + CLOCK_SKEW >= Math.floor(since / 1000)
    assertOr(isFresh, Error, 'the person did not sign in again: "auth_time" is missing or too old')
  }

  /** A provider that could not be read is asked anew the next time. */
  #configure(): Promise<client.Configuration> {
    if (!this.#configuration || Date.now() - this.#readAt > METADATA_LIFETIME) {
      this.#readAt = Date.now()
      this.#configuration = this.#discover()
      this.#configuration.catch(() => {
        this.#configuration = undefined
      })
    }
    return this.#configuration
  }

  async #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clientSecret, authentication, fetch = this.fetch } = this.settings
    const url = new URL(issuer)
    const forHttp = url.protocol === 'http:' ? [client.allowInsecureRequests] : []
    const authenticate =
      typeof authentication === 'function'
        ? authentication
        : clientSecret && withSecret(clientSecret, authentication)
    const found = await client.discovery(url, clientId, clientSecret, authenticate || undefined, {
      timeout: TIMEOUT,
      [client.customFetch]: fetch,
      /* The signature of an ID token is checked although it came by TLS. */
      execute: [client.enableNonRepudiationChecks, ...forHttp],
    })
    /* openid-client lets issuers of many tenants pass, and any where the address of the metadata was typed: neither is of an organisation. */
    const { href, origin } = new URL(found.serverMetadata().issuer)
    const isNear = origin === url.origin || !url.href.includes('/.well-known/')
    const isRight = href === url.href || (isNear && !this.domain)
    assertOr(isRight, Error, 'the metadata are of another issuer')
    return found
  }
}

/** Without a method in the settings, that of the metadata, which are `client_secret_basic` when they list none (Discovery 1.0 §3). */
function withSecret(secret: string, method?: string): client.ClientAuth {
  return (server, ...request) => {
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server
    const isPost =
      !methods.includes('client_secret_basic') && methods.includes('client_secret_post')
    const isInBody = method ? method === 'client_secret_post' : isPost
    const authenticate = isInBody ? client.ClientSecretPost : clientSecretBasic
    authenticate(secret)(server, ...request)
  }
}

/** RFC 6749 §2.3.1. openid-client encodes "-", "." and "_", too, which providers that do not decode take for another secret. */
function clientSecretBasic(secret: string): client.ClientAuth {
  return (_server, { client_id: clientId }, _body, headers) => {
    const [id, password] = [clientId, secret].map((text) => `${new URLSearchParams({ '': text })}`)
    const credentials = Buffer.from(`${id!.slice(1)}:${password!.slice(1)}`)
    headers.set('authorization', `Basic ${credentials.toString('base64')}`)
  }
}

/**
 * A provider whose client secret was encrypted under another APP_KEY. Nobody signs in through it, and operators read why. It
 * is there all the same: for the pages of people who have identities of it, for their sessions, and for its logouts.
 */
export class UnreadableProvider extends OpenIdProvider {
  override async authorizationUrl(): Promise<never> {
    throw new RuntimeException(
      `The client secret of "${this.name}" cannot be decrypted: add the APP_KEY from before to config/encryption.ts, or add the provider again`
    )
  }

  override async profile(): Promise<never> {
    return this.authorizationUrl()
  }
}
