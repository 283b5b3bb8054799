import { assertArgument } from '#config/checks'
import type { MaybePromise } from '#process/maybe_promise'
import { ownMember } from '#process/objects'

export interface ClaimContext {
  /** Name of the user provider that the user is of. */
  provider: string
  clientId: string | null
  scopes: readonly string[]
}

/** Gives a claim of a user; null and undefined leave the claim out (OpenID Connect Core 1.0 §5.3.2). */
export type ClaimSource<User> = (user: User, context: ClaimContext) => MaybePromise<unknown>

/** The claims that each scope asks for (OpenID Connect Core 1.0 §5.4), by scope and by the claim's name. */
export type ClaimSources<User = any> = Record<string, Record<string, ClaimSource<User>>>

/** Claims of ID tokens that are not about the user. */
export const TOKEN_CLAIMS = [
  ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'at_hash', 'sid'],
]

/** Claims that the server makes itself, or that say something of a token. */
const RESERVED = [...TOKEN_CLAIMS, 'nbf', 'jti', 'azp', 'c_hash', 'events']

/** Types the claims of users: `defineClaims<User>({ profile: { name: (user) => user.fullName } })`. */
export const defineClaims = <User>(sources: ClaimSources<User>): ClaimSources<User> => sources

/** @throws {InvalidArgumentsException} for a claim that the server makes itself, or that no function gives */
export function assertClaimSources(sources: ClaimSources): void {
  for (const [scope, claims] of Object.entries(sources)) {
    for (const [name, source] of Object.entries(claims)) {
      const taken = `OpenIdConfig: the claim "${name}" of the scope "${scope}" is made by the server`
      assertArgument(!RESERVED.includes(name), taken)
      const noFunction = `OpenIdConfig: the claim "${name}" of the scope "${scope}" must be a function of the user`
      assertArgument(typeof source === 'function', noFunction)
    }
  }
}

export async function userClaims(user: unknown, sources: ClaimSources, context: ClaimContext) {
  const claims: Record<string, unknown> = {}
  for (const scope of context.scopes) {
    for (const [name, source] of Object.entries(ownMember(sources, scope) ?? {})) {
      const value = await source(user, context)
      if (value !== null && value !== undefined) {
        claims[name] = value
      }
    }
  }
  return claims
}
