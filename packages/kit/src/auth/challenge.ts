import type { HttpContext } from '@adonisjs/core/http'

import { createRouteMark, isMarked, valuedMarks } from '#http/route_marks'

/** A route whose access tokens are bound to its URL (RFC 8707, RFC 9728). */
export interface ChallengedResource {
  /** The resource identifier: tokens that are bound to it are accepted. */
  url: string
  metadataUrl: string
  scopes: readonly string[]
}

/** What a Bearer challenge tells besides its scheme (RFC 6750 §3). */
export interface ChallengeDetails {
  /** Absent when the request carried no token (RFC 6750 §3.1). */
  error?: 'invalid_token' | 'insufficient_scope'
  description?: string
  scopes?: readonly string[]
}

/** RFC 6749 §3.3: printable ASCII without space, `"` and `\`, so safe in the quotes of a challenge. */
export const isScopeToken = (scope: string) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)

/** Challenges of the route have RFC 6750's parameters, whatever `challengeDetails` says. */
export const explainedChallenges = createRouteMark('explainedChallenges')

const resources = valuedMarks<() => ChallengedResource | null>('boundResource')

/** Marks routes with bound tokens: challenges always name the metadata (RFC 9728 §5.1). While `describe` returns null, a route has no resource. */
export const boundResource = resources.mark

export function resourceOf(route: HttpContext['route']): ChallengedResource | null {
  return resources.read(route)?.() ?? null
}

/** A full Bearer challenge (RFC 6750 §3), with the metadata of the resource (RFC 9728 §5.1). */
export function bearerChallenge(details: ChallengeDetails, metadataUrl?: string): string {
  const parameters = Object.entries({
    error: details.error,
    error_description: details.description,
    scope: scopeParameter(details.scopes ?? []) || undefined,
    resource_metadata: metadataUrl,
  }).filter(([, value]) => value !== undefined)
  return `Bearer ${parameters.map(([name, value]) => `${name}="${value}"`).join(', ')}`.trim()
}

/** A Bearer challenge in all schemes of access tokens that there are, e.g. DPoP (RFC 9449 §7.1). */
export function inEveryScheme(ctx: HttpContext, bearer: string): string {
  const { authenticator } = ctx as Partial<HttpContext>
  return authenticator?.challengeOf(bearer) ?? bearer
}

/** Scopes as one parameter, without "*", which no client can request. */
export function scopeParameter(scopes: readonly string[]): string {
  return [...new Set(scopes)].filter((one) => one !== '*' && isScopeToken(one)).join(' ')
}

/**
 * The full challenge of a refusal, where the route or the config wants one; null elsewhere. With
 * `insufficient_scope` it names the scopes held too, so that the next token has them as well.
 */
export function challengeFor(ctx: HttpContext, details: ChallengeDetails): string | null {
  const resource = resourceOf(ctx.route)
  const { explainsChallenges, context } = ctx.authenticator
  if (!resource && !explainsChallenges && !isMarked(ctx.route, explainedChallenges)) {
    return null
  }
  const { error } = details
  const held = error === 'insufficient_scope' ? (context?.scopes ?? []) : []
  const required = details.scopes ?? resource?.scopes ?? requiredScopes(ctx.route)
  const description = resource ? undefined : details.description
  const scopes = [...held, ...required]
  return bearerChallenge({ error, description, scopes }, resource?.metadataUrl)
}

export function requiredScopes(route: HttpContext['route']): string[] {
  return [...(route?.middleware.all() ?? [])].flatMap((middleware) => {
    const { name, args } = middleware as { name?: string; args?: unknown }
    if (name !== 'scopes' && name !== 'abilities') {
      return []
    }
    const { scopes, mode } = (Array.isArray(args) ? { scopes: args } : args) as any
    return mode === 'any' ? scopes.slice(0, 1) : scopes
  })
}
