import { setImmediate } from 'node:timers/promises'

import { BoundedMap } from '#process/remembered'
import type { MaybePromise } from '#process/maybe_promise'
import { ServerPart } from '#oauth2/server_part'
import type { AccessTokenRecord } from '#oauth2/tokens/token_store'
import type { CredentialContext } from '#auth/credential_contexts'

/** `lastUsedAt` is written at most this often (milliseconds). */
const PRECISION = 60_000

/** Grants that are remembered: a few megabytes. */
const LIMIT = 10_000

/**
 * The grants of tokens in use, and personal access tokens. The context of a grant never changes, so each
 * is read once; whether its tokens live is said by their rows. No request waits for the record of a use.
 */
export class UsedGrants extends ServerPart {
  readonly #known = new BoundedMap<string, { context: CredentialContext | null; usedAt: number }>(
    LIMIT
  )
  readonly #recordings = new Set<Promise<void>>()

  /** What a token that is being used now is bound to: by its grant, or by itself. */
  async contextOf(token: AccessTokenRecord): Promise<CredentialContext | null> {
    if (token.name !== null) {
      this.usePersonal(token)
    }
    return token.grantId === null ? token.context : this.use(token.grantId)
  }

  /** The context of the grant that a token was issued under. The token is being used now. */
  async use(id: string): Promise<CredentialContext | null> {
    const known = this.#known.get(id) ?? (await this.#read(id))
    const now = Date.now()
    if (known.usedAt <= now - PRECISION) {
      known.usedAt = now
      this.#record(() => this.server.tokens.grants.recordUse(id, now, now - PRECISION))
    }
    return known.context
  }

  /** A personal access token is being used now; its row says when it was before. */
  usePersonal({ jti, lastUsedAt }: AccessTokenRecord): void {
    const now = Date.now()
    if ((lastUsedAt ?? -Infinity) <= now - PRECISION) {
      this.#record(() => this.server.tokens.recordUse(jti, now, now - PRECISION))
    }
  }

  /** Resolves when nothing is being written. */
  async settled(): Promise<void> {
    await Promise.all(this.#recordings)
  }

  async #read(id: string) {
    const grant = await this.server.tokens.grants.find(id)
    const known = { context: grant?.context ?? null, usedAt: grant?.lastUsedAt ?? -Infinity }
    this.#known.set(id, known)
    return known
  }

  #record(write: () => MaybePromise<void>) {
    const recording = setImmediate()
      .then(write)
      .catch((err) =>
        this.server.logger.error({ err }, 'Cannot record the use of a grant or token')
      )
      .finally(() => this.#recordings.delete(recording))
    this.#recordings.add(recording)
  }
}
