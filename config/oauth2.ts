import app from '@adonisjs/core/services/app'

import catalogue from '#config/scopes'
import { defineConfig } from 'adonis-auth-kit/oauth2/define_config'
import { openIdClaims } from '#services/openid_claims'
import env from '#start/env'

/** A comma-separated list; undefined when there is nothing in it, so that the default counts. */
function list(value = '') {
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
  return items.length ? items : undefined
}

const oauth2Config = defineConfig({
  /** At least 32 random bytes, the same on every machine. For an asymmetric algorithm a private key in PEM. */
  key: env.get('OAUTH_KEY'),
  algorithm: env.get('OAUTH_ALGORITHM', 'HS256'),

  /**
   * Asymmetric keys that "node ace auth:key" makes and rotates, and that everybody can verify tokens with:
   * "none" (the key above signs alone), "database", or "memory" (one key, until the process ends).
   * `publishFor` is the seconds for which a new key is published before it signs.
   */
  keys: { store: env.get('OAUTH_KEYS_STORE', 'none'), publishFor: 3600 },

  /** Lifetimes, in seconds. */
  accessTokenTtl: 3600,
  refreshTokenTtl: 1_209_600,
  refreshFamilyTtl: 31_536_000,
  personalAccessTokenTtl: 31_536_000,
  authorizationCodeTtl: 600,

  /** Seconds for which an approval is remembered: the same client is not asked about again. */
  grantTtl: 31_536_000,

  /**
   * Seconds in which the client that rotated a refresh token may present it again and get the same successor, after
   * a lost response for example; 0: its family ends. The second is for clients that nobody here has registered: a
   * metadata document, or dynamic registration. `node ace auth:oauth2:client --grace-period` sets one client's own.
   */
  refreshTokenGracePeriod: env.get('OAUTH_REFRESH_GRACE_PERIOD', 0),
  sourceClientGracePeriod: env.get('OAUTH_SOURCE_CLIENT_GRACE_PERIOD', 60),

  /** The public address of this server, the "iss" of its tokens. Undefined: the address of each request, and no "iss". */
  issuer: env.get('OAUTH_ISSUER'),

  /** The `aud` of access tokens that are bound to no resource, which RFC 9068 asks for; null: they have none. */
  defaultAudience: null,

  /** Whether "sub" has the name of the user provider in front ("users|1"), which keeps equal ids of two providers apart. */
  uniqueSubjects: false,

  /** APIs that a token can be bound to, by their addresses (RFC 8707). */
  resources: list(env.get('OAUTH_RESOURCES')),

  /** What clients can ask for, in words for the person who approves: config/scopes.ts. */
  scopes: catalogue,

  /** Scopes that the consent page marks, because they make changes; undefined: those whose names end with write, delete and the like. */
  writingScopes: undefined,

  /** Scopes of a request that names none. */
  defaultScopes: [],

  /** Whether every authorization request needs a `code_challenge`, and with which methods: S256, plain (RFC 7636). */
  requirePkce: true,
  pkceMethods: ['S256'],

  /** Whether an authorization request has to name its `redirect_uri`, also where only one is registered. */
  requireRedirectUri: true,

  /** Grants that clients may use; undefined: authorization_code, client_credentials and refresh_token. */
  grantTypes: list(env.get('OAUTH_GRANT_TYPES')),

  /** Guard that knows who approves a client; null: the default guard. */
  authorizationGuard: null,

  /** Address of a consent page of your own, which gets "?handle=…" (docs/oauth.md); null: the page that is built in. */
  consentPage: null,

  /**
   * Clients that nobody registered, whose id is the https URL of a document that describes them
   * (Client ID Metadata Documents). `hosts` names those that are accepted; undefined: any public host.
   */
  clientDocuments: {
    enabled: env.get('OAUTH_CLIENT_DOCUMENTS', true),
    hosts: list(env.get('OAUTH_CLIENT_DOCUMENT_HOSTS')),
    maxBytes: 5120,
    fetchesPerMinute: 60,
  },

  /** Whether clients may authenticate with a key of their own instead of a secret: private_key_jwt (RFC 7523). */
  clientAssertions: env.get('OAUTH_CLIENT_ASSERTIONS', false),

  /**
   * Whether clients may register themselves at POST /oauth/register (RFC 7591). On in development, because many AI
   * clients have no other way in; registrations are limited, and deleted when nobody uses them.
   */
  dynamicRegistration: env.get('OAUTH_DYNAMIC_REGISTRATION', app.inDev),

  /**
   * Whether clients can push authorization requests to POST /oauth/par (RFC 9126), and whether all of them have to;
   * `node ace auth:oauth2:client --require-pushed` requires it of one.
   */
  pushedRequests: { enabled: env.get('OAUTH_PAR', false), required: false },

  /**
   * Whether clients can bind their tokens to a key, by DPoP proofs (RFC 9449), and whether proofs have to carry a nonce
   * of this server. A token that is bound is never good without its key, whatever stands here. Set OAUTH_ISSUER with it.
   */
  dpop: { enabled: env.get('OAUTH_DPOP', false), nonce: false },

  /**
   * Sign-in for devices without a browser (RFC 8628), when `grantTypes` has urn:ietf:params:oauth:grant-type:device_code:
   * seconds in which a person types the code, and seconds between two polls of the device.
   */
  device: { codeTtl: 600, interval: 5 },

  /**
   * Identity providers of companies whose assertions about their people clients can exchange for access tokens, e.g.
   * { issuer: 'https://acme.idp.example', domains: ['acme.example'] } (docs/oauth.md). Set OAUTH_ISSUER with it.
   */
  trustedIssuers: [],

  /**
   * OpenID Connect (docs/openid.md). It is on when it is `enabled`, or when "openid" is one of the scopes.
   * What clients learn of a person is in app/services/openid_claims.ts.
   */
  openid: {
    enabled: env.get('OAUTH_OPENID'),
    claims: openIdClaims,
    pairwiseSalt: env.get('OAUTH_PAIRWISE_SALT'),
    sessions: { store: env.get('OAUTH_TOKENS_STORE', 'database') },
  },

  /**
   * Where tokens and codes live, and where clients: "database", "memory" (this process alone, until it ends), or
   * "instance" with a store of your own under `instance`. `connection` names a connection of config/database.ts.
   * The models of the store "database" have columns, hooks and relations of your own; what a request reads, it reads by
   * plain statement (docs/features.md).
   */
  tokens: {
    store: env.get('OAUTH_TOKENS_STORE', 'database'),
    models: {
      accessToken: () => import('#models/oauth_access_token'),
      refreshToken: () => import('#models/oauth_refresh_token'),
      authCode: () => import('#models/oauth_auth_code'),
    },
  },
  clients: {
    store: env.get('OAUTH_CLIENTS_STORE', 'database'),
    model: () => import('#models/oauth_client'),
  },
})

export default oauth2Config
