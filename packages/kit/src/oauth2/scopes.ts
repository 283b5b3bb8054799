import { isScopeToken } from '#auth/challenge'
import type { AuthContext } from '#auth/outcome'
import { AccessDenied, InvalidScope } from '#auth/errors'
import type { GrantedScope } from '#auth/scopes'
import type { ResolvedOAuth2Config } from '#oauth2/define_config'
import { MAX_LENGTH } from '#oauth2/parameters'
import { ownMember } from '#process/objects'
import { assertOr } from '#process/assert_or'

/** Satisfies every scope check, so no client may ever be given it. */
export const ANY_SCOPE = '*'

/** Asks for a refresh token, which a client that may have one gets anyway (OpenID Connect Core 1.0 §11). */
const OFFLINE_ACCESS = 'offline_access'

/** Scopes that programs add to every request: they are dropped where they do not apply. */
const DROPPABLE = [OFFLINE_ACCESS, 'openid']

/** Names of scopes that say that they change something. */
export const WRITING = /(?:^|[^a-z])(?:write|create|update|delete|manage|admin)$/i

/** The scopes of a space-separated list, each once. */
export function splitScopes(scope: string): string[] {
  return [...new Set(scope.split(' ').filter(Boolean))]
}

/** @throws {InvalidScope} for a scope that was not requested, or when none is left */
export function assertSubset(scopes: string[] | undefined, requested: string[]) {
  const isWider = scopes?.some((scope) => !requested.includes(scope))
  assertOr(!isWider, InvalidScope, 'A scope was not requested.')
  const isNoneLeft = scopes?.length === 0 && requested.length > 0
  assertOr(!isNoneLeft, InvalidScope, 'None of the requested scopes is allowed.')
}

/** Someone who approves with a token can grant only its scopes. @throws {AccessDenied} for others */
export function assertCanGrant(approver: AuthContext, scopes: readonly string[]) {
  const hasAll = approver.canAll(...(scopes as GrantedScope[]))
  assertOr(hasAll, AccessDenied, 'The approving token carries fewer scopes than were requested.')
}

/** The one place that judges which scopes may be granted (RFC 6749 §3.3). */
export class ScopeCatalogue {
  constructor(
    protected config: Pick<ResolvedOAuth2Config, 'scopes' | 'defaultScopes' | 'writingScopes'>
  ) {}

  /** Requested scopes, without droppable ones that are not allowed. */
  static drop(requested: readonly string[], isAllowed: (scope: string) => boolean): string[] {
    return requested.filter((scope) => !DROPPABLE.includes(scope) || isAllowed(scope))
  }

  /** Names of the catalogue's scopes; empty when any scope is accepted. */
  get names(): string[] {
    return Object.keys(this.config.scopes)
  }

  /** What clients with these grant types may ask for; empty when any scope is accepted. */
  offered(grantTypes: readonly string[]): string[] {
    const isOffline = this.names.length > 0 && grantTypes.includes('refresh_token')
    return [...new Set([...this.names, ...(isOffline ? [OFFLINE_ACCESS] : [])])]
  }

  /**
   * The scopes to grant: those requested, or the default ones and those of the resource that the
   * client may have. A client gets the scopes of its allow-list (empty: the whole catalogue), and
   * never `*`. Droppable ones are left out (OpenID Connect Core 1.0 §3.1.2.1, §11).
   * @throws {InvalidScope} when one is unknown or not allowed, or all are too long
   */
  resolve(
    requested: string[],
    client: { scopes: readonly string[] } | null,
    ofResource: readonly string[] = []
  ): string[] {
    const wanted = ScopeCatalogue.drop(requested, (scope) => this.#offers(scope, client))
    const unnamed = ofResource.filter((scope) => this.#offers(scope, client))
    const scopes = [...new Set(wanted.length ? wanted : [...this.config.defaultScopes, ...unnamed])]
    this.assertKnown(scopes)
    /* A token with more would be too long a parameter to be introspected or revoked. */
    assertOr(scopes.join(' ').length <= MAX_LENGTH / 2, InvalidScope, 'The scopes are too long.')
    const isAny = client !== null && scopes.includes(ANY_SCOPE)
    assertOr(!isAny, InvalidScope, 'No client may have the scope *.')
    const areAllowed = scopes.every((scope) => this.#offers(scope, client))
    assertOr(areAllowed, InvalidScope, 'A scope is not allowed to this client.')
    return scopes
  }

  #offers(scope: string, client: { scopes: readonly string[] } | null): boolean {
    return this.knows(scope) && (!client?.scopes.length || client.scopes.includes(scope))
  }

  /** Whether a scope is in the catalogue; an empty one has all. */
  knows(scope: string): boolean {
    return this.names.length === 0 || Object.hasOwn(this.config.scopes, scope)
  }

  /** @throws {InvalidScope} when a scope is malformed, or the catalogue does not have it */
  assertKnown(scopes: string[]): void {
    assertOr(scopes.every(isScopeToken), InvalidScope, 'A scope has characters that no scope has.')
    const areKnown = scopes.every((scope) => this.knows(scope))
    assertOr(areKnown, InvalidScope, 'A scope is unknown.')
  }

  writes(scope: string): boolean {
    return this.config.writingScopes.includes(scope)
  }

  /** The scopes with their descriptions; without a catalogue a scope describes itself. */
  describe(scopes: string[]): { name: string; description: string }[] {
    const wordsOf = (name: string) => ownMember(this.config.scopes, name) ?? name
    return scopes.map((name) => ({ name, description: wordsOf(name) }))
  }
}
