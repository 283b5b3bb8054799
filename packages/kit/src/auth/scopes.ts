/**
 * The scopes that routes and tools require. `config/scopes.ts` fills it; empty, it has every string.
 * @example
 * declare module '#auth/scopes' {
 *   interface Scopes extends InferScopes<{ scopes: typeof scopes }> {}
 * }
 */
export interface Scopes {}

/** The scopes of a catalogue, or of a `defineConfig` of `config/oauth2.ts` that has one. */
export type InferScopes<Config extends { scopes: Record<string, string> }> = Config['scopes']

/** Name of a scope that can be required: never `*`, which only tokens and sessions carry. */
export type ScopeName<Catalogue = Scopes> = [Extract<keyof Catalogue, string>] extends [never]
  ? string
  : Exclude<Extract<keyof Catalogue, string>, '*'>

/** Name of a scope that can be granted: `*` satisfies every scope. */
export type GrantedScope<Catalogue = Scopes> = ScopeName<Catalogue> | '*'
