import { Secret } from '@adonisjs/core/helpers'

import { assertArgument, assertKind, assertKnownKeys, withDefaults } from '#config/checks'
import { type ModelImport, type StoreConfig, type StoreName, withStore } from '#config/store_config'
import type { ClientRepository } from '#oauth2/clients/client_repository'
import type { OAuth2Config } from '#oauth2/define_config'
import type { KeyStore } from '#oauth2/keys/key_store'
import { type ClaimSources, assertClaimSources } from '#oauth2/openid/claims'
import type OAuthClient from '#oauth2/models/oauth_client'
import type { ClientSessionStore } from '#oauth2/openid/logout/client_session_store'
import type { TokenModels } from '#oauth2/tokens/database_revocations'
import type { TokenStore } from '#oauth2/tokens/token_store'

/* Settings that belong together, each with its defaults and checks. */

/** The `grant_type` of the device flow (RFC 8628 §3.4). It is on when the setting `grantTypes` has it. */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code'

/** The scope that asks for an ID token (OpenID Connect Core 1.0 §3.1.2.1). */
export const OPENID = 'openid'

/** The scopes that a catalogue gets by the setting `openid.enabled`, for the person who approves. */
export const OPENID_SCOPES = {
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your e-mail address',
}

/** Bytes that nobody guesses: who knows the salt can link a user's pairwise subjects. */
const SALT_BYTES = 32

/** RFC 8414 §2 in the characters that need no encoding: scheme, host, port and a path. */
const ISSUER = /^https?:\/\/[A-Za-z0-9.\-[\]:]+((?:\/[A-Za-z0-9\-._~]+)*)$/

/** @throws {InvalidArgumentsException} unless it is a bare http(s) URL; null without one */
export function normalizeIssuer(issuer: string | null | undefined): string | null {
  const normalized = String(issuer ?? '').replace(/\/+$/, '') || null
  if (normalized === null) {
    return null
  }
  const path = ISSUER.exec(normalized)?.[1]
  /* Clients would resolve dot segments to another path. */
  const rule = `OAuth2Config: the issuer "${issuer}" must be an http(s) URL without user, query and fragment, its path of letters, digits and - . _ ~`
  assertArgument(path !== undefined && new URL(normalized).pathname === (path || '/'), rule)
  return normalized
}

/** The path of an issuer, under which its endpoints are; empty for an issuer without one. */
export function issuerPath(issuer: string | null): string {
  return issuer === null ? '' : new URL(issuer).pathname.replace(/\/$/, '')
}

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

const MODELS: Record<keyof TokenModels, 1> = { accessToken: 1, refreshToken: 1, authCode: 1 }

/** @throws {InvalidArgumentsException} for an unknown setting or store */
function resolveTokens(config: OAuthTokensConfig = {}) {
  assertKnownKeys('OAuthTokensConfig "models"', config.models ?? {}, MODELS)
  return withStore('OAuthTokensConfig', config, 'memory', { models: undefined })
}

/** Sign-in for devices without a browser (RFC 8628). All times are seconds. */
export interface DeviceConfig {
  /** How long a person has to type the code. Default 600. */
  codeTtl?: number
  /** How long a device waits between two polls. Default 5. */
  interval?: number
}

/** Tokens that are bound to a key of the client (RFC 9449). */
export interface DpopConfig {
  /** Whether clients can bind tokens to a key. Default false. A token that is bound is never good without its key. */
  enabled?: boolean
  /** Whether proofs have to carry a nonce of this server (RFC 9449 §8). Default false. */
  nonce?: boolean
}

/** Authorization requests that clients push before the browser comes (RFC 9126). */
export interface PushedRequestsConfig {
  /** Whether clients can push requests to `POST /oauth/par`. Default false. */
  enabled?: boolean
  /** Whether every client has to; a client alone can be registered so. Default false. */
  required?: boolean
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
function resolvePushedRequests(config: PushedRequestsConfig = {}) {
  const resolved = withDefaults('PushedRequestsConfig', config, { enabled: false, required: false })
  const needless =
    'PushedRequestsConfig: "required" needs "enabled": no client could authorize otherwise'
  assertArgument(resolved.enabled || !resolved.required, needless)
  return resolved
}

/**
 * Asymmetric keys beside `key`. `store` is `none` (the default: `key` alone signs), `database`, `memory`
 * (one key, which ends with the process) or `instance`.
 */
export interface OAuthKeysConfig extends Omit<StoreConfig<KeyStore>, 'store'> {
  store?: 'none' | StoreName
  /** Seconds for which a new key is published before it signs. Default 3600. */
  publishFor?: number
}

export type ResolvedKeysConfig = OAuthKeysConfig &
  Required<Pick<OAuthKeysConfig, 'store' | 'publishFor'>>

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
function resolveKeys(config: OAuthKeysConfig = {}): ResolvedKeysConfig {
  const { store = 'none', ...rest } = config
  const isOff = store === 'none'
  const given = isOff ? rest : { ...rest, store }
  const keys = withStore('OAuthKeysConfig', given, 'database', { publishFor: 3600 })
  const unused = 'OAuthKeysConfig: "instance" is not used. Set "store" to "instance"'
  assertArgument(!isOff || !keys.instance, unused)
  return isOff ? { store, publishFor: keys.publishFor } : keys
}

/** OpenID Connect: the setting `openid` of `config/oauth2.ts`. */
export interface OpenIdConfig {
  /** Default: whether the scope `openid` stands in the catalogue. True adds `openid`, `profile` and `email` to a catalogue. */
  enabled?: boolean
  /** What is told of users, by scope and claim. Default: nothing but `sub`. */
  claims?: ClaimSources<any>
  /** Secret that pairwise subjects are made with. It must never change. Default null: no client can have pairwise subjects. */
  pairwiseSalt?: string | Secret<string> | null
  /** Store of the clients that hear of the end of a session: `store`, `connection`, `instance`. Default `memory`. */
  sessions?: StoreConfig<ClientSessionStore>
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
function resolveOpenId(config: OpenIdConfig = {}, catalogue: string[], issuer: string | null) {
  const { enabled, claims, pairwiseSalt, sessions } = withDefaults('OpenIdConfig', config, {
    enabled: catalogue.includes(OPENID),
    claims: {} as ClaimSources<any>,
    pairwiseSalt: null,
    sessions: {} as StoreConfig<ClientSessionStore>,
  })
  const salt = toSecret(pairwiseSalt)
  const short = `OpenIdConfig: "pairwiseSalt" must be at least ${SALT_BYTES} bytes long`
  assertArgument(!salt || Buffer.byteLength(salt.release()) >= SALT_BYTES, short)
  assertClaimSources(claims)
  const nameless =
    'OAuth2Config: OpenID Connect needs an "issuer", which ID tokens name. Set OAUTH_ISSUER, or turn OpenID Connect off'
  assertArgument(!enabled || issuer !== null, nameless)
  const store = withStore('OpenIdConfig.sessions', sessions, 'memory', {})
  return { enabled, claims, pairwiseSalt: salt, sessions: store }
}

/** A secret setting; null for an empty one. */
export function toSecret(value: string | Secret<string> | null): Secret<string> | null {
  const secret = value instanceof Secret ? value : new Secret(value ?? '')
  return secret.release() ? secret : null
}

/** Clients that nobody registered: their id is the URL of a document that describes them (Client ID Metadata Documents). */
export interface ClientDocumentsConfig {
  /** Default true. When false, such clients are refused everywhere, those known from before among them. */
  enabled?: boolean
  /** Hosts whose clients are accepted, with the port unless it is 443: `claude.ai`. The addresses in their documents are bound to them as well. Default null: any public host. */
  hosts?: string[] | null
  /** Bytes that a document may have. Default 5120. */
  maxBytes?: number
  /** Documents that a process fetches in a minute, for all callers together; a quarter is kept for people at addresses that have not asked in it. Default 60. */
  fetchesPerMinute?: number
}

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
function resolveClientDocuments(config: ClientDocumentsConfig = {}) {
  const defaults = { enabled: true, hosts: null, maxBytes: 5120, fetchesPerMinute: 60 }
  const resolved = withDefaults('ClientDocumentsConfig', config, defaults, { whole: true })
  assertKind('ClientDocumentsConfig', 'hosts', resolved.hosts ?? [], 'a list of texts')
  for (const host of resolved.hosts ?? []) {
    /* A host in another spelling would match no client. */
    const misspelt = `ClientDocumentsConfig: "${host}" must be a host in lower case, with its port unless that is 443`
    assertArgument(!host.includes('*') && URL.parse(`https://${host}/`)?.host === host, misspelt)
  }
  return resolved
}

/** The groups of settings with their defaults. @throws {InvalidArgumentsException} as each of them does */
export function resolveGroups(config: OAuth2Config, catalogue: string[], issuer: string | null) {
  const { clients = {}, dpop = {}, device = {} } = config
  return {
    keys: resolveKeys(config.keys),
    openid: resolveOpenId(config.openid, catalogue, issuer),
    tokens: resolveTokens(config.tokens),
    clients: withStore('OAuthClientsConfig', clients, 'database', { model: undefined }),
    clientDocuments: resolveClientDocuments(config.clientDocuments),
    pushedRequests: resolvePushedRequests(config.pushedRequests),
    dpop: withDefaults('DpopConfig', dpop, { enabled: false, nonce: false }),
    device: withDefaults('DeviceConfig', device, { codeTtl: 600, interval: 5 }, { whole: true }),
  }
}
