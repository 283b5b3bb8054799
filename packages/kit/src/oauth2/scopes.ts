import { InvalidScope } from '#auth/errors'

/** RFC 6749 §3.3: printable ASCII without space, `"` and `\`. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** Satisfies every scope check, so no client may ever be given it. */
export const ANY_SCOPE = '*'

export function isScopeToken(scope: string): boolean {
  return SCOPE_TOKEN.test(scope)
}

/** The scopes of a space-separated list, each once. */
export function splitScopes(scope: string): string[] {
  return [...new Set(scope.split(' ').filter(Boolean))]
}

/** The one place that judges which scopes may be granted (RFC 6749 §3.3). */
export class ScopeCatalogue {
  readonly #descriptions: Map<string, string>
  readonly #defaults: string[]

  constructor(config: { scopes: Record<string, string>; defaultScopes: string[] }) {
    this.#descriptions = new Map(Object.entries(config.scopes))
    this.#defaults = config.defaultScopes
  }

  /** Names of the catalogue's scopes; empty when any scope is accepted. */
  get names(): string[] {
    return [...this.#descriptions.keys()]
  }

  /**
   * The scopes to grant: those requested, or the default ones. A client may
   * get what its allow-list has, an empty one meaning the whole catalogue, and
   * never `*`.
   *
   * @throws {InvalidScope} when one is unknown or not allowed
   */
  resolve(requested: string[], client: { scopes: readonly string[] } | null): string[] {
    const scopes = requested.length ? [...new Set(requested)] : this.#defaults
    this.assertKnown(scopes)
    for (const scope of client ? scopes : []) {
      if (scope === ANY_SCOPE) {
        throw new InvalidScope('No client may have the scope *.')
      }
      if (client!.scopes.length && !client!.scopes.includes(scope)) {
        throw new InvalidScope('A scope is not allowed to this client.')
      }
    }
    return [...scopes]
  }

  /** @throws {InvalidScope} when a scope is malformed, or the catalogue does not have it */
  assertKnown(scopes: string[]): void {
    for (const scope of scopes) {
      if (!isScopeToken(scope)) {
        throw new InvalidScope('A scope has characters that no scope has.')
      }
      if (this.#descriptions.size && !this.#descriptions.has(scope)) {
        throw new InvalidScope('A scope is unknown.')
      }
    }
  }

  /** The scopes with their descriptions; without a catalogue a scope describes itself. */
  describe(scopes: string[]): { name: string; description: string }[] {
    return scopes.map((name) => ({ name, description: this.#descriptions.get(name) ?? name }))
  }
}
