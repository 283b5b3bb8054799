import type { CredentialContext, CredentialOwner } from '#auth/credential_contexts'
import { isExpired } from '#database/expiry'
import type { ApiTokenRepository, FoundToken, StoredToken } from '#api_token/types'

/** API tokens in the memory of the process, for tests and demos. */
export class MemoryApiTokenRepository implements ApiTokenRepository {
  readonly #tokens = new Map<string, StoredToken>()
  #lastId = 0

  create(token: Omit<StoredToken, 'id'>): string {
    const id = String(++this.#lastId)
    this.#tokens.set(id, structuredClone({ ...token, id }))
    return id
  }

  find(id: string): FoundToken | null {
    const token = this.#tokens.get(id)
    return token ? { token: structuredClone(token) } : null
  }

  listFor(userId: string, provider: string, now: number): StoredToken[] {
    return this.#select(
      (token) =>
        token.userId === userId && token.provider === provider && !isExpired(token.expiresAt, now)
    )
  }

  delete(id: string): StoredToken | null {
    const token = this.#tokens.get(id) ?? null
    this.#tokens.delete(id)
    return token
  }

  deleteFor(userId: string, provider: string): StoredToken[] {
    return this.#delete((token) => token.userId === userId && token.provider === provider)
  }

  endWhere(owner: CredentialOwner, matches: (context: CredentialContext) => boolean) {
    this.#delete(
      ({ userId, provider, context }) =>
        userId === owner.userId && provider === owner.provider && !!context && matches(context)
    )
  }

  recordUse(id: string, now: number, before: number): void {
    const token = this.#tokens.get(id)
    if (token && (token.lastUsedAt ?? -Infinity) <= before) {
      token.lastUsedAt = now
    }
  }

  purge(now: number): number {
    return this.#delete((token) => isExpired(token.expiresAt, now)).length
  }

  #select(matches: (token: StoredToken) => boolean): StoredToken[] {
    return structuredClone([...this.#tokens.values()].filter(matches))
  }

  #delete(matches: (token: StoredToken) => boolean): StoredToken[] {
    const deleted = this.#select(matches)
    deleted.forEach(({ id }) => this.#tokens.delete(id))
    return deleted
  }
}
