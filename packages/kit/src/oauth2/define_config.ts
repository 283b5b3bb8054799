import type { Secret } from '@adonisjs/core/helpers'

import type { ScopeName } from '#auth/scopes'
import type {
  ClientDocumentsConfig,
  DeviceConfig,
  DpopConfig,
  OAuthClientsConfig,
  OAuthKeysConfig,
  OAuthTokensConfig,
  OpenIdConfig,
  PushedRequestsConfig,
} from '#oauth2/settings'
import type { GrantSource } from '#oauth2/grants/grant'
import type { resolve } from '#oauth2/resolve_config'
import type { TrustedIssuerConfig } from '#oauth2/trusted_issuers/config'

export { defineConfig, withFallbacks } from '#oauth2/resolve_config'
export type { OAuthClientsConfig, OAuthTokensConfig } from '#oauth2/settings'

/** Scopes by name, with what they allow in words for the person who approves. */
type ScopeDescriptions = Record<string, string>

/** The settings of `config/oauth2.ts`. All lifetimes are seconds. */
export interface OAuth2Config<Catalogue extends ScopeDescriptions = ScopeDescriptions> {
  /**
   * JWT signing secret; for an asymmetric `algorithm` a private key in PEM.
   * Required in production. Without it an ephemeral key is made, and tokens die on restart.
   */
  key?: string | Secret<string> | null
  /** JWT signing algorithm. Default `HS256`. */
  algorithm?: string
  /** Asymmetric keys that take turns: `store`, `connection`, `instance`, `publishFor`. Default: `key` alone signs. */
  keys?: OAuthKeysConfig
  /** Lifetime of access tokens. Default 3600. */
  accessTokenTtl?: number
  /** Lifetime of refresh tokens. Default 1209600, 14 days. */
  refreshTokenTtl?: number
  /** How long tokens can be refreshed without a new approval, however often. Default 31536000, 365 days. */
  refreshFamilyTtl?: number
  /** Lifetime of personal access tokens. Default 31536000, 365 days. */
  personalAccessTokenTtl?: number
  /** Lifetime of authorization codes. Default 600. */
  authorizationCodeTtl?: number
  /** How long an approval is remembered, so that the person is not asked again. Default 31536000, 365 days. */
  grantTtl?: number
  /** The `iss` of tokens, authorization responses and metadata. Default: none in tokens, the request's base URL elsewhere. */
  issuer?: string | null
  /**
   * Whether the `sub` of every user has the name of their user provider in front: `users|1`. Without it two people of two
   * user providers with the same id have the same `sub`. Default false.
   */
  uniqueSubjects?: boolean
  /** Resource indicators that a token may be bound to (RFC 8707). Default: none. */
  resources?: string[]
  /**
   * The `aud` of access tokens that are bound to no resource, which RFC 9068 asks for: an absolute
   * URI, and none of `resources`. Default null: they have none.
   */
  defaultAudience?: string | null
  /** Scope catalogue, name to description. Empty accepts any scope. Never list `*`. */
  scopes?: Catalogue
  /**
   * Scopes that change something, which the consent page marks. Default: those of the catalogue whose
   * last word is `write`, `create`, `update`, `delete`, `manage` or `admin`.
   */
  writingScopes?: ScopeName<NoInfer<Catalogue>>[]
  /** Scopes of a request that names none. Default: none. */
  defaultScopes?: ScopeName<NoInfer<Catalogue>>[]
  /** PKCE methods accepted: `S256`, `plain`. Default `S256` alone. */
  pkceMethods?: string[]
  /** Every authorization request needs a `code_challenge`. Default true. */
  requirePkce?: boolean
  /** Authorization requests must send a registered `redirect_uri`. Default true. */
  requireRedirectUri?: boolean
  /** Enabled grants. Default `authorization_code`, `client_credentials`, `refresh_token`; `password` can be added. */
  grantTypes?: string[]
  /**
   * Grants of your own: classes that get the services of the server, or functions
   * that make a grant of them. `grantTypes` enables them.
   */
  grants?: GrantSource[]
  /** Guard that identifies the approving user on `/oauth/authorize`. Default: the default guard. */
  authorizationGuard?: string | null
  /**
   * Address of a consent page of your own, which gets `?handle=…` and answers through
   * `/oauth/authorizations/:handle`: a path, or a URL. Default: the page that is built in.
   */
  consentPage?: string | null
  /** OpenID Connect: `enabled`, `claims`, `pairwiseSalt`, `sessions`. Off by default. */
  openid?: OpenIdConfig
  /**
   * Store of codes and tokens: `store`, `connection`, `instance`, and `models`: `accessToken`, `refreshToken`, `authCode`,
   * functions that import models which extend the kit's. Hooks run where rows are made; models list and revoke tokens;
   * a request reads, redeems and rotates them by plain statement.
   */
  tokens?: OAuthTokensConfig
  /**
   * Store of clients: `store`, `connection`, `instance`, and `model`: a function that imports a model which extends the
   * kit's. It makes clients, lists, changes and revokes them; the client of a request is read, and metadata documents
   * are saved, by plain statement.
   */
  clients?: OAuthClientsConfig
  /** Clients that nobody registered: `enabled` (default true), `hosts`, `maxBytes`, `fetchesPerMinute`. */
  clientDocuments?: ClientDocumentsConfig
  /**
   * Whether clients may authenticate with a key of their own instead of a secret: `private_key_jwt`
   * (RFC 7523). Default false.
   */
  clientAssertions?: boolean
  /** Whether clients may register themselves at `POST /oauth/register` (RFC 7591). Default false. */
  dynamicRegistration?: boolean
  /** Authorization requests that clients push: `enabled` (default false), `required` (RFC 9126). */
  pushedRequests?: PushedRequestsConfig
  /** Tokens that are bound to a key of their client: `enabled` (default false), `nonce` (RFC 9449). */
  dpop?: DpopConfig
  /** Sign-in for devices, when `grantTypes` has its grant: `codeTtl`, `interval` (RFC 8628). */
  device?: DeviceConfig
  /**
   * Seconds in which the client that rotated a refresh token gets the same successor again for
   * presenting it again, instead of losing the family. Default 0: never.
   */
  refreshTokenGracePeriod?: number
  /**
   * The same for clients with a `source`: a metadata document, or registered by themselves. Default 60:
   * their programs refresh from several processes at once.
   */
  sourceClientGracePeriod?: number
  /**
   * Identity providers of companies, whose assertions about people clients can exchange for access
   * tokens: `issuer`, `domains` or `resolveUser`, `jwks`, `tenant`, `accessTokenTtl`. Default: none,
   * and the grant is off.
   */
  trustedIssuers?: TrustedIssuerConfig[]
}

export type PkceMethod = 'S256' | 'plain'

/** The settings with their defaults, checked. */
export interface ResolvedOAuth2Config<
  Catalogue extends ScopeDescriptions = ScopeDescriptions,
> extends Omit<ReturnType<typeof resolve>, 'scopes'> {
  scopes: Catalogue
}
