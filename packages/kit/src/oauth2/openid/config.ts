import { InvalidArgumentsException } from '@adonisjs/core/exceptions'
import { Secret } from '@adonisjs/core/helpers'

import { type ClaimSources, assertClaimSources } from '#oauth2/openid/claims'
import type { ClientSessionStore } from '#oauth2/openid/logout/client_session_store'
import { type KeysOf, assertKnownKeys } from '#config/checks'
import {
  type ResolvedStoreConfig,
  STORE_KEYS,
  type StoreConfig,
  resolveStoreName,
} from '#config/store_config'

/** The scope that asks for an ID token (OpenID Connect Core 1.0 §3.1.2.1). */
export const OPENID = 'openid'

/** Bytes that nobody guesses: who knows the salt can link a user's pairwise subjects. */
const SALT_BYTES = 32

/** The scopes that a catalogue gets by the setting `enabled`, in words for the person who approves. */
const SCOPES = {
  openid: 'Know who you are',
  profile: 'See your name',
  email: 'See your e-mail address',
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

export interface ResolvedOpenIdConfig {
  enabled: boolean
  claims: ClaimSources<any>
  pairwiseSalt: Secret<string> | null
  sessions: ResolvedStoreConfig<ClientSessionStore>
}

const SETTINGS: KeysOf<OpenIdConfig> = {
  enabled: true,
  claims: true,
  pairwiseSalt: true,
  sessions: true,
}

/**
 * Fills in the defaults.
 *
 * @param catalogue names of the scopes in the catalogue
 * @param issuer the configured issuer
 * @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work
 */
export function resolveOpenId(
  config: OpenIdConfig = {},
  catalogue: string[],
  issuer: string | null
): ResolvedOpenIdConfig {
  assertKnownKeys('OpenIdConfig', config, SETTINGS)
  assertKnownKeys('OpenIdConfig.sessions', config.sessions ?? {}, STORE_KEYS)
  const resolved: ResolvedOpenIdConfig = {
    enabled: config.enabled ?? catalogue.includes(OPENID),
    claims: config.claims ?? {},
    pairwiseSalt: toSalt(config.pairwiseSalt),
    sessions: {
      ...config.sessions,
      store: resolveStoreName('OpenIdConfig.sessions', config.sessions ?? {}, 'memory'),
    },
  }
  assertClaimSources(resolved.claims)
  if (resolved.enabled && issuer === null) {
    throw new InvalidArgumentsException(
      'OAuth2Config: OpenID Connect needs an "issuer", which ID tokens name. Set OAUTH_ISSUER, or turn OpenID Connect off'
    )
  }
  return resolved
}

/** A catalogue with the scopes of OpenID Connect, where that was turned on by the setting. An empty one accepts any scope. */
export function withOpenIdScopes(
  scopes: Record<string, string>,
  config: OpenIdConfig = {}
): Record<string, string> {
  return config.enabled && Object.keys(scopes).length ? { ...SCOPES, ...scopes } : scopes
}

function toSalt(salt: OpenIdConfig['pairwiseSalt']): Secret<string> | null {
  const text = salt instanceof Secret ? salt.release() : salt
  if (!text) {
    return null
  }
  if (Buffer.byteLength(text) < SALT_BYTES) {
    throw new InvalidArgumentsException(
      `OpenIdConfig: "pairwiseSalt" must be at least ${SALT_BYTES} bytes long`
    )
  }
  return new Secret(text)
}
