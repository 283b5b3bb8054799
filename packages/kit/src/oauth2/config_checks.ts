import { InvalidArgumentsException } from '@adonisjs/core/exceptions'

import { positiveNumber } from '#config/checks'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { isScopeToken } from '#oauth2/scopes'

const TTLS = [
  'accessTokenTtl',
  'refreshTokenTtl',
  'refreshFamilyTtl',
  'personalAccessTokenTtl',
  'authorizationCodeTtl',
  'grantTtl',
] as const

/**
 * Refuses settings that no server can work with.
 *
 * @throws {InvalidArgumentsException} naming the setting and its value
 */
export function assertWorkable(config: ResolvedOAuth2Config): void {
  assertLifetimes(config)
  assertConsentPage(config)
  config.resources.forEach(assertResource)
  assertDefaultAudience(config)
  assertScopes(config)
}

function assertLifetimes(config: ResolvedOAuth2Config) {
  for (const setting of TTLS) {
    positiveNumber('OAuth2Config', setting, config[setting], { whole: true })
  }
  for (const setting of ['refreshTokenGracePeriod', 'sourceClientGracePeriod'] as const) {
    positiveNumber('OAuth2Config', setting, config[setting], { whole: true, orZero: true })
  }
}

function assertConsentPage({ consentPage }: ResolvedOAuth2Config) {
  if (consentPage !== null && !/^(https?:\/\/[^/]|\/(?!\/))[^#\s]*$/i.test(consentPage)) {
    throw new InvalidArgumentsException(
      `OAuth2Config: "consentPage" must be a path or an http(s) URL without a fragment, got "${consentPage}"`
    )
  }
}

/** RFC 8707 §2: an absolute URI without a fragment. */
function assertResource(resource: string) {
  if (!URL.canParse(resource) || resource.includes('#')) {
    throw new InvalidArgumentsException(
      `OAuth2Config: the resource "${resource}" must be an absolute URI without a fragment`
    )
  }
}

/** With the `aud` of a resource, an unbound token would pass for one that is bound to it. */
function assertDefaultAudience({ defaultAudience, resources }: ResolvedOAuth2Config) {
  if (defaultAudience === null) {
    return
  }
  if (!URL.canParse(defaultAudience) || resources.includes(defaultAudience)) {
    throw new InvalidArgumentsException(
      `OAuth2Config: "defaultAudience" must be an absolute URI and none of "resources", got "${defaultAudience}"`
    )
  }
}

function assertScopes({ scopes, defaultScopes, writingScopes }: ResolvedOAuth2Config) {
  const catalogue = Object.keys(scopes)
  for (const scope of [...catalogue, ...defaultScopes]) {
    if (scope === '*' || !isScopeToken(scope)) {
      throw new InvalidArgumentsException(`OAuth2Config: "${scope}" cannot be a scope`)
    }
  }
  const unknownWriting = writingScopes.find((scope) => !catalogue.includes(scope))
  if (unknownWriting) {
    throw new InvalidArgumentsException(
      `OAuth2Config: the writing scope "${unknownWriting}" is not in the catalogue "scopes"`
    )
  }
  const unknown = defaultScopes.find((scope) => catalogue.length && !catalogue.includes(scope))
  if (unknown) {
    throw new InvalidArgumentsException(
      `OAuth2Config: the default scope "${unknown}" is not in the catalogue "scopes"`
    )
  }
}
