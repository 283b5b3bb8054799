import app from '@adonisjs/core/services/app'

import type { AuthManager } from '#auth/manager'
import { Refusal } from '#auth/outcome'
import type {} from '#auth/protected_resources'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import type { KnownRoute, RouteDescription, Schema } from '#openapi/describe'
import type { SessionService } from '#session/session_service'
import { clientEndpoint, csrfExempt, marksOf, namedMiddleware } from '#http/route_marks'

const BEARER = { type: 'http', scheme: 'bearer' }
const CSRF = 'csrf'
const SAFE = ['GET', 'HEAD', 'OPTIONS']
const RECOGNISING = ['auth', 'scopes', 'abilities', 'optionalAuth']

export interface SecuritySources {
  manager: AuthManager
  sessions: SessionService | null
  oauth2: ResolvedOAuth2Config | null
  issuer: string
}

export type Access = ReturnType<typeof accessTo>

/** The guards as OpenAPI has them, and the header that sessions prove themselves by. */
export async function securitySchemes(sources: SecuritySources): Promise<Record<string, Schema>> {
  const { manager, sessions } = sources
  const schemes: Record<string, Schema> = {}
  for (const name of manager.guardNames) {
    const scheme = await schemeOf(name, sources)
    scheme && (schemes[name] = scheme)
  }
  if (sessions) {
    const { csrfHeader, csrfCookie } = sessions.config
    const description = `The value of the cookie ${csrfCookie}`
    schemes[CSRF] = { type: 'apiKey', in: 'header', name: csrfHeader, description }
  }
  return schemes
}

async function schemeOf(name: string, sources: SecuritySources): Promise<Schema | null> {
  const { manager, sessions, oauth2, issuer } = sources
  switch (manager.guardDriver(name)) {
    case 'session':
      return sessions && { type: 'apiKey', in: 'cookie', name: sessions.config.cookie }
    case 'oauth2':
      return oauth2 ? { type: 'oauth2', flows: oauthFlows(oauth2, issuer) } : BEARER
    case 'token':
      return BEARER
    default:
      return { type: 'http', scheme: await challengedScheme(name, manager) }
  }
}

/** The scheme of the challenge with which a guard of another driver refuses nobody in particular. */
async function challengedScheme(name: string, manager: AuthManager): Promise<string> {
  /* Only here: most applications have no such guard, and may have no MCP. */
  const { createLocalContext } = await import('#mcp/stdio')
  const guard = manager.guard(name, await createLocalContext(app))
  /* A guard may need more than a context without a request has. */
  const outcome = await guard.resolve().catch(() => null)
  const challenge = outcome instanceof Refusal ? outcome.toError().challenge : null
  return challenge?.split(' ', 1)[0]!.toLowerCase() ?? BEARER.scheme
}

function oauthFlows({ grantTypes, scopes }: ResolvedOAuth2Config, issuer: string): Schema {
  const common = { tokenUrl: `${issuer}/oauth/token`, scopes: { ...scopes } }
  const refreshed = grantTypes.includes('refresh_token') && { refreshUrl: common.tokenUrl }
  return {
    ...(grantTypes.includes('authorization_code') && {
      authorizationCode: { authorizationUrl: `${issuer}/oauth/authorize`, ...common, ...refreshed },
    }),
    ...(grantTypes.includes('client_credentials') && { clientCredentials: common }),
    ...(grantTypes.includes('password') && { password: { ...common, ...refreshed } }),
  }
}

/** Who may call a route, by its middleware and its marks; without `security` everybody may. */
export function accessTo(
  known: KnownRoute,
  { security, signedIn, accessToken }: RouteDescription,
  sources: SecuritySources
): Pick<RouteDescription, 'security'> & { isProtected: boolean; needsCsrf: boolean } {
  const { manager } = sources
  const stated = accessToken
    ? oauthGuards(manager).map((name) => ({ [name]: accessToken }))
    : security
  if (stated) {
    const isOpen = stated.some((one) => Object.keys(one).length === 0)
    return { security: stated, isProtected: !isOpen, needsCsrf: false }
  }
  const named = namedMiddleware(known.route)
  const recognising = RECOGNISING.filter((name) => named.has(name))
  const marks = marksOf(known.route)
  const isExempt = marks.has(csrfExempt) || marks.has(clientEndpoint)
  const needsCsrf = sources.sessions !== null && !isExempt && !SAFE.includes(known.method)
  if (!recognising.length && !signedIn) {
    return { ...(needsCsrf && { security: [{}, { [CSRF]: [] }] }), isProtected: false, needsCsrf }
  }
  const given = recognising.map((name) => named.get(name))
  const guards = given.flatMap(guardsIn)
  const names = guards.length ? new Set(guards) : [manager.config.default.guard]
  const scopes = given.flatMap(scopesIn)
  const isOptional = recognising.every((name) => name === 'optionalAuth') && !signedIn
  const derived = [...names].map((name) => {
    const driver = manager.guardDriver(name)
    return driver === 'session'
      ? { [name]: [], ...(needsCsrf && { [CSRF]: [] }) }
      : { [name]: driver === 'oauth2' ? scopes : [] }
  })
  const all = isOptional ? [...derived, {}] : derived
  return { security: all, isProtected: !isOptional, needsCsrf }
}

/** Names of the guards of access tokens, each of which knows them all. */
export const oauthGuards = (manager: AuthManager): string[] =>
  manager.guardNames.filter((name) => manager.guardDriver(name) === 'oauth2')

type Given = { guards?: string[]; scopes?: string[] } | undefined
const guardsIn = (given: unknown) => (given as Given)?.guards ?? []
const scopesIn = (given: unknown) =>
  Array.isArray(given) ? (given as string[]) : ((given as Given)?.scopes ?? [])
