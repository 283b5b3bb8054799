import { isScopeToken } from '#auth/challenge'
import type { DeprecatedSetting } from '#auth/define_config'
import { assertArgument, assertKind, markResolved, withDefaults } from '#config/checks'
import { OPENID_SCOPES, normalizeIssuer, resolveGroups, toSecret } from '#oauth2/settings'
import type { OAuth2Config, PkceMethod, ResolvedOAuth2Config } from '#oauth2/define_config'
import { WRITING } from '#oauth2/scopes'
import { ServedResources } from '#oauth2/served_resources'
import { JWT_BEARER, resolveTrustedIssuers } from '#oauth2/trusted_issuers/config'

/** Those without a default are undefined, so that their names are known. */
const DEFAULTS = {
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
  resources: [] as string[],
  defaultAudience: null,
  scopes: {},
  writingScopes: undefined,
  defaultScopes: [] as string[],
  pkceMethods: ['S256'],
  requirePkce: true,
  requireRedirectUri: true,
  grantTypes: ['authorization_code', 'client_credentials', 'refresh_token'],
  grants: undefined,
  authorizationGuard: null,
  consentPage: null,
  openid: undefined,
  tokens: undefined,
  clients: undefined,
  clientDocuments: undefined,
  clientAssertions: false,
  dynamicRegistration: false,
  pushedRequests: undefined,
  dpop: undefined,
  device: undefined,
  refreshTokenGracePeriod: 0,
  sourceClientGracePeriod: 60,
  trustedIssuers: [],
} satisfies OAuth2Config

/** @throws {InvalidArgumentsException} for an unknown setting, or a value that cannot work */
export function defineConfig<Catalogue extends Record<string, string> = {}>(
  config?: OAuth2Config<Catalogue>
): ResolvedOAuth2Config<Catalogue>
export function defineConfig(config: OAuth2Config = {}) {
  return resolve(config)
}

/** The same without the names of the scopes in its type. */
export function resolve(config: OAuth2Config) {
  const given = withDefaults<OAuth2Config, typeof DEFAULTS>('OAuth2Config', config, DEFAULTS, {
    whole: true,
    orZero: ['sourceClientGracePeriod'],
  })
  const { grants, ...settings } = given
  const { grantTypes } = settings
  for (const setting of ['writingScopes', 'grants'] as const) {
    if (given[setting] !== undefined) {
      assertKind('OAuth2Config', setting, given[setting], 'a list of values that are set')
    }
  }
  /* An empty catalogue accepts any scope. */
  const isOpenId = settings.openid?.enabled && Object.keys(settings.scopes).length > 0
  const scopes = { ...(isOpenId && OPENID_SCOPES), ...settings.scopes }
  const names = Object.keys(scopes)
  const issuer = normalizeIssuer(settings.issuer)
  const trustedIssuers = resolveTrustedIssuers(settings.trustedIssuers, issuer)
  const resolved = {
    ...settings,
    ...(grants && { grants }),
    ...resolveGroups(settings, names, issuer),
    key: toSecret(settings.key),
    issuer,
    /** `resources`, and the endpoints that features add. */
    served: new ServedResources(settings.resources),
    scopes,
    writingScopes: settings.writingScopes ?? names.filter((name) => WRITING.test(name)),
    pkceMethods: settings.pkceMethods.map(toPkceMethod),
    grantTypes: trustedIssuers.length ? [...new Set([...grantTypes, JWT_BEARER])] : grantTypes,
    trustedIssuers,
    /** The settings as they were written, so that a fallback can tell them from the defaults. */
    given: config,
  }
  assertAddresses(resolved)
  assertScopes(resolved)
  return markResolved(resolved)
}

/** Takes in deprecated settings of `config/auth.ts`, with a warning; those of OAuth2Config win. */
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

function toPkceMethod(method: string): PkceMethod {
  const methods: PkceMethod[] = ['S256', 'plain']
  const known = methods.find((one) => one.toLowerCase() === String(method).toLowerCase())
  assertArgument(known, `OAuth2Config: unknown PKCE method "${method}". Use "S256" or "plain"`)
  return known
}

function assertAddresses({ consentPage, resources, defaultAudience }: ResolvedOAuth2Config) {
  const unusable = `OAuth2Config: "consentPage" must be a path or an http(s) URL without a fragment, got "${consentPage}"`
  const isPlace = consentPage === null || /^(https?:\/\/[^/]|\/(?!\/))[^#\s]*$/i.test(consentPage)
  assertArgument(isPlace, unusable)
  /* RFC 8707 §2 */
  const bad = resources.find((resource) => !URL.canParse(resource) || resource.includes('#'))
  const malformed = `OAuth2Config: the resource "${bad}" must be an absolute URI without a fragment`
  assertArgument(bad === undefined, malformed)
  /* Otherwise an unbound token could pass as bound to that resource. */
  const isOther = defaultAudience === null || !resources.includes(defaultAudience)
  const isUri = defaultAudience === null || URL.canParse(defaultAudience)
  const ambiguous = `OAuth2Config: "defaultAudience" must be an absolute URI and none of "resources", got "${defaultAudience}"`
  assertArgument(isUri && isOther, ambiguous)
}

function assertScopes({ scopes, defaultScopes, writingScopes }: ResolvedOAuth2Config) {
  const catalogue = Object.keys(scopes)
  const bad = [...catalogue, ...defaultScopes].find((name) => name === '*' || !isScopeToken(name))
  assertArgument(bad === undefined, `OAuth2Config: "${bad}" cannot be a scope`)
  const unknownWriting = writingScopes.find((scope) => !catalogue.includes(scope))
  const unlisted = `OAuth2Config: the writing scope "${unknownWriting}" is not in the catalogue "scopes"`
  assertArgument(!unknownWriting, unlisted)
  const unknown = defaultScopes.find((scope) => catalogue.length && !catalogue.includes(scope))
  const missing = `OAuth2Config: the default scope "${unknown}" is not in the catalogue "scopes"`
  assertArgument(!unknown, missing)
}
