import { assertArgument, assertKind, markResolved, positiveNumber } from '#config/checks'
import { type ModelImport, type Resolved, type StoreConfig, withStore } from '#config/store_config'
import type PersonalApiToken from '#api_token/models/personal_api_token'
import type { ApiTokenRepository } from '#api_token/token'

/** The settings of `config/api_token.ts`. */
export interface ApiTokenConfig extends StoreConfig<ApiTokenRepository> {
  /**
   * Imports the model of the `database` store, which extends the kit's. It makes tokens and lists them; the token of a
   * request is read, and tokens are deleted, by plain statement. Default: the kit's.
   */
  model?: ModelImport<typeof PersonalApiToken>
  /** Header read as `Bearer {id}|{secret}`; a custom header may omit `Bearer`. Default `Authorization`. */
  header?: string
  /** Default lifetime in seconds; null means tokens never expire. Default null. */
  ttl?: number | null
  /** Seconds between two purges of expired tokens. Default 300. */
  purgeInterval?: number
  /** Origins of single-page apps that use the session cookie; one or more turn SPA mode on. */
  statefulOrigins?: string[]
  /** Session guard used in SPA mode. Default `web`. */
  sessionGuard?: string
}

export type ResolvedApiTokenConfig = Resolved<ApiTokenConfig, 'model'>

/** Scheme, host and port as the `Origin` header has them (RFC 6454 §6.1), or with an app's scheme. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/\\\s?#@*A-Z]+$/

function isOrigin(text: string) {
  const url = ORIGIN.test(text) && URL.parse(text)
  return url && (!['http:', 'https:'].includes(url.protocol) || url.origin === text)
}

/** @throws {InvalidArgumentsException} for an unknown or unusable setting, store or origin */
export function defineConfig(config: ApiTokenConfig = {}): ResolvedApiTokenConfig {
  const settings = withStore('ApiTokenConfig', config, 'memory', {
    model: undefined,
    header: 'Authorization',
    ttl: null,
    purgeInterval: 300,
    statefulOrigins: [] as string[],
    sessionGuard: 'web',
  })
  const { header, statefulOrigins, ttl } = settings
  const name = 'a name of letters, digits and signs like - and _'
  assertKind('ApiTokenConfig', 'header', header, name)
  const wrong = statefulOrigins.find((origin) => !isOrigin(origin))
  const noOrigin = `ApiTokenConfig: "statefulOrigins" has "${wrong}", which is not an origin. An origin is a scheme, a host and a port that is not the default one, like "https://app.example.com"`
  assertArgument(wrong === undefined, noOrigin)

  positiveNumber('ApiTokenConfig', 'ttl', ttl ?? 1)
  return markResolved(settings)
}
