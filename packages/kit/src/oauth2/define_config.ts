import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { Secret } from '@adonisjs/core/helpers'

import type { DeprecatedSetting } from '#auth/define_config'
import type { ScopeName } from '#auth/scopes'
import { type KeysOf, assertKnownKeys, withDefaults } from '#config/checks'
import { markResolved } from '#config/file'
import {
  STORE_KEYS,
  type StoreConfig,
  type StoreName,
  resolveStoreName,
} from '#config/store_config'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import {
  type ClientDocumentsConfig,
  resolveClientDocuments,
} from '#oauth2/clients/documents/config'
import { assertWorkable } from '#oauth2/config_checks'
import { type DeviceConfig, resolveDevice } from '#oauth2/device/config'
import { type DpopConfig, resolveDpop } from '#oauth2/dpop/config'
import type { GrantSource } from '#oauth2/grants/grant'
import { normalizeIssuer } from '#oauth2/issuer'
import { type OAuthKeysConfig, type ResolvedKeysConfig, resolveKeys } from '#oauth2/keys/config'
import { type PushedRequestsConfig, resolvePushedRequests } from '#oauth2/par/config'
import {
  type OpenIdConfig,
  type ResolvedOpenIdConfig,
  resolveOpenId,
  withOpenIdScopes,
} from '#oauth2/openid/config'
import { soundsLikeWriting } from '#oauth2/scopes'
import { ServedResources } from '#oauth2/served_resources'
import type OAuthClient from '#oauth2/models/oauth_client'
import type { TokenModels } from '#oauth2/tokens/database_token_store'
import type { TokenStore } from '#oauth2/tokens/token_store'
import type { ModelImport } from '#database/models'
import {
  JWT_BEARER,
  type TrustedIssuer,
  type TrustedIssuerConfig,
  resolveTrustedIssuers,
} from '#oauth2/trusted_issuers/config'

/** Where access tokens, refresh tokens and codes live. Default `memory`. */
export interface OAuthTokensConfig extends StoreConfig<TokenStore> {
  /** Import the models of the `database` store, which extend the kit's. Default: the kit's. */
  models?: { [Name in keyof TokenModels]?: ModelImport<TokenModels[Name]> }
}

/** Where clients live. Default `database`. */
export interface OAuthClientsConfig extends StoreConfig<ClientRepository> {
  /** Imports the model of the `database` store, which extends the kit's. Default: the kit's. */
  model?: ModelImport<typeof OAuthClient>
}

const MODELS: KeysOf<TokenModels> = { accessToken: true, refreshToken: true, authCode: true }

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

export interface ResolvedOAuth2Config<
  Catalogue extends ScopeDescriptions = ScopeDescriptions,
> extends Required<
  Omit<
    OAuth2Config,
    | 'key'
    | 'keys'
    | 'scopes'
    | 'pkceMethods'
    | 'tokens'
    | 'clients'
    | 'clientDocuments'
    | 'pushedRequests'
    | 'dpop'
    | 'grants'
    | 'device'
    | 'openid'
    | 'trustedIssuers'
  >
> {
  scopes: Catalogue
  key: Secret<string> | null
  keys: ResolvedKeysConfig
  /** `resources`, and the endpoints that features add. */
  served: ServedResources
  grants?: GrantSource[] | undefined
  openid: ResolvedOpenIdConfig
  pkceMethods: PkceMethod[]
  tokens: OAuthTokensConfig & { store: StoreName }
  clients: OAuthClientsConfig & { store: StoreName }
  clientDocuments: Required<ClientDocumentsConfig>
  pushedRequests: Required<PushedRequestsConfig>
  dpop: Required<DpopConfig>
  device: Required<DeviceConfig>
  trustedIssuers: TrustedIssuer[]
  /** The settings as they were written, so that a fallback can tell them from the defaults. */
  given: OAuth2Config
}

/**
 * Fills in the defaults of the OAuth 2.1 settings.
 *
 * @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work
 */
export function defineConfig<Catalogue extends ScopeDescriptions = {}>(
  config?: OAuth2Config<Catalogue>
): ResolvedOAuth2Config<Catalogue>
export function defineConfig(config: OAuth2Config = {}): ResolvedOAuth2Config {
  const { grants, ...settings } = withDefaults('OAuth2Config', config, {
    key: null,
    algorithm: 'HS256',
    keys: undefined,
    accessTokenTtl: 3600,
    refreshTokenTtl: 1_209_600,
    refreshFamilyTtl: 31_536_000,
    personalAccessTokenTtl: 31_536_000,
    authorizationCodeTtl: 600,
    grantTtl: 31_536_000,
    issuer: null,
    uniqueSubjects: false,
    resources: [],
    defaultAudience: null,
    scopes: {},
    writingScopes: undefined,
    defaultScopes: [],
    pkceMethods: ['S256'],
    requirePkce: true,
    requireRedirectUri: true,
    grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
    grants: undefined,
    authorizationGuard: null,
    consentPage: null,
    openid: undefined,
    tokens: {} as OAuthTokensConfig,
    clients: {} as OAuthClientsConfig,
    clientDocuments: undefined,
    clientAssertions: false,
    dynamicRegistration: false,
    pushedRequests: undefined,
    dpop: undefined,
    device: undefined,
    refreshTokenGracePeriod: 0,
    sourceClientGracePeriod: 60,
    trustedIssuers: [],
  })
  const { tokens, clients, resources, grantTypes } = settings
  assertKnownKeys('OAuthTokensConfig', tokens, { ...STORE_KEYS, models: true })
  assertKnownKeys('OAuthTokensConfig "models"', tokens.models ?? {}, MODELS)
  assertKnownKeys('OAuthClientsConfig', clients, { ...STORE_KEYS, model: true })

  const scopes = withOpenIdScopes(settings.scopes, settings.openid)
  const issuer = normalizeIssuer(settings.issuer)
  const trustedIssuers = resolveTrustedIssuers(settings.trustedIssuers, issuer)
  const resolved: ResolvedOAuth2Config = {
    ...settings,
    ...(grants && { grants }),
    key: toSecret(settings.key),
    keys: resolveKeys(settings.keys),
    issuer,
    served: new ServedResources(resources),
    scopes,
    writingScopes: settings.writingScopes ?? Object.keys(scopes).filter(soundsLikeWriting),
    pkceMethods: settings.pkceMethods.map(toPkceMethod),
    grantTypes: trustedIssuers.length ? [...new Set([...grantTypes, JWT_BEARER])] : grantTypes,
    openid: resolveOpenId(settings.openid, Object.keys(scopes), issuer),
    tokens: { ...tokens, store: resolveStoreName('OAuthTokensConfig', tokens, 'memory') },
    clients: { ...clients, store: resolveStoreName('OAuthClientsConfig', clients, 'database') },
    clientDocuments: resolveClientDocuments(settings.clientDocuments),
    pushedRequests: resolvePushedRequests(settings.pushedRequests),
    dpop: resolveDpop(settings.dpop),
    device: resolveDevice(settings.device),
    trustedIssuers,
    given: config,
  }

  assertWorkable(resolved)
  return markResolved(resolved)
}

/**
 * Settings that still sit in `config/auth.ts`, each announced with a
 * DeprecationWarning; a value set on OAuth2Config wins.
 */
export function withFallbacks(
  config: ResolvedOAuth2Config,
  deprecated: Partial<Record<DeprecatedSetting, unknown>>
): ResolvedOAuth2Config {
  const settings = Object.keys(deprecated)
  if (!settings.length) {
    return config
  }
  for (const setting of settings) {
    process.emitWarning(
      `AuthConfig: the setting "${setting}" is deprecated. Move it from config/auth.ts to config/oauth2.ts`,
      'DeprecationWarning'
    )
  }
  const explicit = Object.entries(config.given).filter(([, value]) => value !== undefined)
  return defineConfig({ ...deprecated, ...Object.fromEntries(explicit) } as OAuth2Config)
}

function toSecret(key: OAuth2Config['key']): Secret<string> | null {
  if (key instanceof Secret) {
    return key.release() ? key : null
  }
  return key ? new Secret(key) : null
}

function toPkceMethod(method: string): PkceMethod {
  switch (method.toLowerCase()) {
    case 's256':
      return 'S256'
    case 'plain':
      return 'plain'
    default:
      throw new InvalidArgumentsException(
        `OAuth2Config: unknown PKCE method "${method}". Use "S256" or "plain"`
      )
  }
}
